import Dispatch
import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDomains
@testable import StrataStorage

/// A process in directories of its own.
struct StackFixture {
  static let name = "com.example.app"
  let tree: TemporaryTree
  let process: DomainProcess

  init(
    arguments: [String: PropertyListValue] = [:], hasHome: Bool = true,
    host: HostLookup = .known(HostIdentifier(of: "a machine")), user: UserLookup = .known(nil)
  ) throws {
    tree = try TemporaryTree()
    let system = ["STRATA_SYSTEM_DIRECTORY": tree.path + "/system"]
    let environment = hasHome ? system.merging(["HOME": tree.path]) { $1 } : system
    let surroundings = ProcessSurroundings(
      environment: { environment[$0] }, userID: geteuid(), user: user, isSetUID: false,
      host: host, executableName: "program")
    process = DomainProcess(
      surroundings, VolatileDomains(arguments: arguments, languages: MemoryStore()))
  }

  func stack(_ name: String = Self.name) throws -> Stack {
    process.stack(of: try DomainIdentifier(name, isSetUID: false))
  }

  /// What another process does: another store over the same files.
  func elsewhere(_ name: String = Self.name, in place: Place = .application) throws -> Store {
    let identifier = try DomainIdentifier(name, isSetUID: false)
    let paths = try #require(process.places.stores(of: identifier, in: place).first)
    return StorageProcess(on: SystemFileSystem(), isAutomatic: false, feedMode: .chosen).store(
      at: paths)
  }

  /// Keeps the watcher's thread in a call of an observer.
  /// - Returns: what lets it go on, and ends that observer.
  func holdWatcher(of stack: Stack) throws -> () -> Void {
    let (arrived, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let busy = Observer(["busy"]) { _ in
      arrived.signal()
      _ = go.wait(timeout: .now() + 600)
    }
    stack.add(busy)
    try elsewhere().set(.integer(1), forKey: "busy")
    #expect(arrived.wait(timeout: .now() + 600) == .success, "the watcher is busy now")
    return {
      go.signal()
      stack.remove(busy)
    }
  }
}

/// What an observer was told.
final class Ear: Sendable {
  private let heard = Guarded<[Observer.Change]>([])
  var changes: [Observer.Change] { heard.withLock { $0 } }
  var values: [PropertyListValue?] { changes.map { $0.new[0] } }
  func hear(_ change: Observer.Change) { heard.withLock { $0.append(change) } }
}

extension PropertyListValue {
  var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}

/// Whether the condition comes to hold: other threads of the tests can be busy for long.
func holds(_ condition: () -> Bool) -> Bool {
  let end = ContinuousClock.now + .seconds(600)
  while true {
    if condition() { return true }
    if .now >= end { return false }
    poll(nil, 0, 1)
  }
}
