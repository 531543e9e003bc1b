import Foundation
import StrataDefaults

/// What the toolchain's class and ours have in common.
protocol DefaultsClass: AnyObject {
  func bool(forKey key: String) -> Bool
  func integer(forKey key: String) -> Int
  func string(forKey key: String) -> String?
  func set(_ value: Int, forKey key: String)
  func register(defaults registrationDictionary: [String: Any])
  func synchronize() -> Bool
}

/// What has values that count when none was set.
protocol RegisteringStore {
  func register()
  /// Reads an integer that is registered and was never set.
  func readRegistered(_ operations: Int) -> Int64
}

extension Foundation.UserDefaults: DefaultsClass {}
extension StrataDefaults.UserDefaults: DefaultsClass {}

/// One of the two classes, open.
struct DefaultsStore<Defaults: DefaultsClass>: PeerStore, RegisteringStore, @unchecked Sendable {
  // Safety: `UserDefaults` may be used from any thread.
  let defaults: Defaults

  func read(_ kind: Kind, _ keys: Keys, _ operations: Int) throws -> Int64 {
    let texts = keys.texts
    var sum: Int64 = 0
    var next = 0
    for _ in 0..<operations {
      switch kind {
      case .boolean: sum &+= defaults.bool(forKey: texts[next]) ? 1 : 0
      case .integer: sum &+= Int64(defaults.integer(forKey: texts[next]))
      case .string: sum &+= Int64(defaults.string(forKey: texts[next])?.utf8.count ?? -1)
      }
      next += 1
      if next == texts.count { next = 0 }
    }
    return sum
  }

  func readHot(_ kind: Kind, _ operations: Int) throws -> Int64 {
    var sum: Int64 = 0
    for _ in 0..<operations {
      switch kind {
      case .boolean: sum &+= defaults.bool(forKey: "key0000000000000") ? 1 : 0
      case .integer: sum &+= Int64(defaults.integer(forKey: "key0000000000001"))
      case .string:
        sum &+= Int64(defaults.string(forKey: "key0000000000002")?.utf8.count ?? -1)
      }
    }
    return sum
  }

  func register() { defaults.register(defaults: ["registered": 7]) }

  func readRegistered(_ operations: Int) -> Int64 {
    var sum: Int64 = 0
    for _ in 0..<operations { sum &+= Int64(defaults.integer(forKey: "registered")) }
    return sum
  }

  func set(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    for operation in 0..<operations {
      let key = keys.texts[operation % keys.texts.count]
      defaults.set(Int(first) + operation, forKey: key)
    }
  }

  func setAndRead(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    for operation in 0..<operations {
      let key = keys.texts[operation % keys.texts.count]
      defaults.set(Int(first) + operation, forKey: key)
      guard defaults.integer(forKey: key) == Int(first) + operation else {
        throw BenchError("\(Defaults.self) forgot \(key)")
      }
    }
  }

  func setAndSynchronize(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    for operation in 0..<operations {
      let key = keys.texts[operation % keys.texts.count]
      defaults.set(Int(first) + operation, forKey: key)
      guard defaults.synchronize() else { throw BenchError("\(Defaults.self) did not synchronize") }
    }
  }

  func observe(_ keys: Keys, _ told: @escaping @Sendable (Int64) -> Bool) throws {
    guard let defaults = defaults as? StrataDefaults.UserDefaults else {
      throw BenchError("\(Defaults.self) tells nothing")
    }
    let end = DispatchSemaphore(value: 0)
    let observation = defaults.observe(keys.texts[0], as: Int.self) { change in
      if let new = change.new, told(Int64(new)) { end.signal() }
    }
    end.wait()
    observation.cancel()
  }

  func close() {}
}
