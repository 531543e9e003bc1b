import Dispatch
import StrataPropertyList
import StrataStorage

/// Our store.
struct StrataPeer: Peer {
  static let name = "Strata"

  var name: String { Self.name }
  let limits = PeerLimits(keys: .max, set: .max, synchronize: .max, fill: .max)
  let isCoherent = true
  let tells = true

  func prepare(_ directory: String, _ keys: Keys) throws {
    let store = Store.open(StorePaths(identifier: "bench", in: directory))
    let changes = keys.texts.enumerated().map { index, key in
      Change(key: key, value: value(index))
    }
    try store.apply(ChangeSet(changes))
    guard store.flush() else { throw BenchError("can't flush: \(store.issues)") }
  }

  var storeType: any PeerStore.Type { StrataStore.self }

  func open(_ directory: String) throws -> any PeerStore {
    StrataStore(store: Store.open(StorePaths(identifier: "bench", in: directory)))
  }

  private func value(_ index: Int) -> PropertyListValue {
    switch index % 3 {
    case 0: .boolean(index % 2 == 0)
    case 1: .integer(Int64(index))
    default: .string(Keys.stringValue)
    }
  }
}

struct StrataStore: PeerStore {
  let store: Store

  func read(_ kind: Kind, _ keys: Keys, _ operations: Int) throws -> Int64 {
    let texts = keys.texts
    var sum: Int64 = 0
    var next = 0
    for _ in 0..<operations {
      switch kind {
      case .boolean: sum &+= store.boolean(forKey: texts[next]) == true ? 1 : 0
      case .integer: sum &+= store.integer(forKey: texts[next]) ?? -1
      case .string: sum &+= Int64(store.string(forKey: texts[next])?.utf8.count ?? -1)
      }
      next += 1
      if next == texts.count { next = 0 }
    }
    return sum
  }

  func readHot(_ kind: Kind, _ operations: Int) throws -> Int64 {
    var sum: Int64 = 0
    switch kind {
    case .boolean:
      for _ in 0..<operations {
        sum &+= store.boolean(forKey: "key0000000000000") == true ? 1 : 0
      }
    case .integer:
      for _ in 0..<operations { sum &+= store.integer(forKey: "key0000000000001") ?? -1 }
    case .string:
      for _ in 0..<operations {
        sum &+= Int64(store.string(forKey: "key0000000000002")?.utf8.count ?? -1)
      }
    }
    return sum
  }

  func set(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    let texts = keys.texts
    var next = 0
    for operation in 0..<operations {
      try store.set(.integer(first + Int64(operation)), forKey: texts[next])
      next += 1
      if next == texts.count { next = 0 }
    }
    if !store.issues.isEmpty { throw BenchError("\(store.issues)") }
  }

  func setAndRead(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    let texts = keys.texts
    var next = 0
    for operation in 0..<operations {
      let value = first + Int64(operation)
      try store.set(.integer(value), forKey: texts[next])
      let seen = store.integer(forKey: texts[next])
      guard seen == value else {
        throw BenchError("\(texts[next]) was set to \(value) and is \(seen as Any)")
      }
      next += 1
      if next == texts.count { next = 0 }
    }
  }

  func setAndSynchronize(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    for operation in 0..<operations {
      let key = keys.texts[operation % keys.texts.count]
      try store.set(.integer(first + Int64(operation)), forKey: key)
      guard store.synchronize() else { throw BenchError("not durable: \(store.issues)") }
    }
  }

  func observe(_ keys: Keys, _ told: @escaping @Sendable (Int64) -> Bool) throws {
    let end = DispatchSemaphore(value: 0)
    let watch = store.watch { changes in
      for case .some(.integer(let value)) in changes.map(\.value) where told(value) {
        end.signal()
      }
    }
    end.wait()
    watch.cancel()
  }

  func settle() { store.flush() }
  func close() { store.flush() }
}
