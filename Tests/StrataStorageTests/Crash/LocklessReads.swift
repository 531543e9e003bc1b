import StrataPropertyList

@testable import FaultTesting
@testable import StrataStorage

/// What threads of several processes read without a lock, at each call and each step of an append
/// that any of the processes makes. Each value has a version, which grows; none may read an older
/// one than its process has read or set before.
final class LocklessReads {
  private var stores: [Store] = []
  /// By process and key.
  private var seen: [[String: Int64]] = []
  /// The last version that removed a key.
  private var removals: [String: Int64] = [:]
  private(set) var faults: [String] = []

  init(on machine: FaultMachine) {
    machine.beforeCall = { [unowned self] _, _ in look() }
    machine.beforeLook = { [unowned self] _ in look() }
  }

  func add(_ store: Store) {
    stores.append(store)
    seen.append([:])
    store.step = { [unowned self] _ in look() }
  }

  /// Notes that a process has set a key, or (nil) removed it.
  func note(_ process: Int, _ key: String, _ value: Int64?, version: Int64) {
    if value == nil { removals[key] = version }
    seen[process][key] = version
  }

  func look() {
    for process in stores.indices {
      for (key, version) in seen[process] { look(process, key, version) }
    }
  }

  private func look(_ process: Int, _ key: String, _ version: Int64) {
    guard let found = stores[process].table.cachedValue(key, { $0?.pointee.value }) else { return }
    if case .integer(let number)? = found {
      if number < version { faults.append("\(process) reads \(key) = \(number) after \(version)") }
      seen[process][key] = max(number, version)
    } else if removals[key, default: -1] < version {
      faults.append("\(process) reads no \(key) after \(version)")
    }
  }
}
