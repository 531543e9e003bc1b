import Glibc
import RevisionedStore

/// The files of an identity, which are read again when they were changed.
struct RenewedIdentity {
  private let location: StoreLocation
  private(set) var identity: Identity
  private var stamps: [FileStamp]

  init(_ location: StoreLocation) throws(StoreError) {
    self.location = location
    stamps = Self.stamps(location)
    identity = try Identity(location)
  }

  /// Reads files that were changed.
  ///
  /// A certificate is written before or after its key: as long as the two do not fit, the old ones
  /// are used if they still can be.
  ///
  /// - Returns: whether there is a new identity.
  mutating func renew() throws(StoreError) -> Bool {
    let current = Self.stamps(location)
    if current == stamps { return false }
    do throws(StoreError) {
      identity = try Identity(location)
    } catch {
      if identity.problem(at: Self.now) == nil { return false }
      throw error
    }
    stamps = current
    return true
  }

  /// Whether both were read from the same files.
  func isSame(as other: RenewedIdentity) -> Bool { stamps == other.stamps }

  var problem: StoreError? { identity.problem(at: Self.now) }

  func explanation(of error: StoreError, from endpoint: String) -> StoreError {
    identity.explanation(of: error, from: endpoint, at: Self.now)
  }

  private static var now: Int64 { Int64(time(nil)) }

  private static func stamps(_ location: StoreLocation) -> [FileStamp] {
    [location.authority, location.certificate, location.key].compactMap { $0 }.map { FileStamp($0) }
  }
}
