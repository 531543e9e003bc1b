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

  var storeType: any PeerStore.Type { DefaultsStore<Foundation.UserDefaults>.self }

  func open(_ directory: String) throws -> any PeerStore {
    guard let defaults = Foundation.UserDefaults(suiteName: suite(directory)) else {
      throw BenchError("Foundation has no UserDefaults for \(suite(directory))")
    }
    return DefaultsStore(defaults: defaults)
  }

  private func suite(_ directory: String) -> String {
    "bench-" + Names.last(of: directory)
  }

  private func value(_ index: Int) -> Any {
    switch index % 3 {
    case 0: index % 2 == 0
    case 1: index
    default: Keys.stringValue
    }
  }
}
