import CStrata
import StrataStorage

/// A machine's identifier, looked up on demand: most programs have no values for one host.
package enum HostLookup: Equatable, Sendable {
  case known(HostIdentifier)
  /// One that has to be found out.
  case asked(KnownHost)
  /// The machine on which the process runs.
  case ofProcess

  package var identifier: HostIdentifier {
    switch self {
    case .known(let identifier): identifier
    case .asked(let host): host.identifier
    case .ofProcess: Self.hostOfProcess.identifier
    }
  }

  private static let hostOfProcess = KnownHost { () throws(StorageError) in try .find() }
}

/// A machine's identifier, looked up once, or again as long as that fails.
package final class KnownHost: Equatable, Sendable {
  typealias Find = @Sendable () throws(StorageError) -> HostIdentifier

  private let find: Find
  private let lock = Lock(.memory)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var answer: HostIdentifier?
  nonisolated(unsafe) private var pause = LookupPause()
  nonisolated(unsafe) private var hasComplained = false

  init(_ find: @escaping Find) { self.find = find }

  package static func == (left: KnownHost, right: KnownHost) -> Bool { left === right }

  var identifier: HostIdentifier {
    lock.withLock {
      if let answer { return answer }
      let start = strata_coarse_now()
      if !pause.isOver(at: start) { return .unknown }
      do throws(StorageError) {
        let found = try find()
        answer = found
        return found
      } catch {
        pause.begin(afterFailureFrom: start, to: strata_coarse_now())
        if !hasComplained {
          Log.writeLater("values for this host are not available for now: \(error)")
        }
        hasComplained = true
        return .unknown
      }
    }
  }
}
