import Foundation

/// The toolchain's `UserDefaults`. Sets stay in the process until it synchronizes, and single sets
/// take longer the more keys there are.
struct FoundationPeer: Peer {
  let name = "Foundation"
  let limits = PeerLimits(keys: .max, set: 1_000, synchronize: 1_000, fill: 1_000)
  let isCoherent = false
  /// Where the process looks for its files.
  let configuration: String

  func prepare(_ directory: String, _ keys: Keys) throws {
    var values: [String: Any] = [:]
    for (index, key) in keys.texts.enumerated() { values[key] = value(index) }
    let data = try PropertyListSerialization.data(
      fromPropertyList: values, format: .binary, options: 0)
    try FileManager.default.createDirectory(
      atPath: configuration, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: "\(configuration)/\(suite(directory)).plist"))
  }

  func open(_ directory: String) throws -> any PeerStore {
    guard let defaults = UserDefaults(suiteName: suite(directory)) else {
      throw BenchError("Foundation has no UserDefaults for \(suite(directory))")
    }
    return FoundationStore(defaults: defaults)
  }

  private func suite(_ directory: String) -> String {
    "bench-" + (directory as NSString).lastPathComponent
  }

  private func value(_ index: Int) -> Any {
    switch index % 3 {
    case 0: index % 2 == 0
    case 1: index
    default: Keys.stringValue
    }
  }
}

struct FoundationStore: PeerStore, @unchecked Sendable {
  // Safety: `UserDefaults` may be used from any thread.
  let defaults: UserDefaults

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
        throw BenchError("Foundation forgot \(key)")
      }
    }
  }

  func setAndSynchronize(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    for operation in 0..<operations {
      let key = keys.texts[operation % keys.texts.count]
      defaults.set(Int(first) + operation, forKey: key)
      guard defaults.synchronize() else { throw BenchError("Foundation did not synchronize") }
    }
  }

  func close() {}
}
