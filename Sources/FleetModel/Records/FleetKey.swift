package import RevisionedStore
import StrataDomains

/// The keys of the store.
package enum FleetKey: Hashable, Sendable {
  case live(PolicyName)
  case history(PolicyName, version: Int64)
  case host(String)
  /// What an administrator did; the name is unique.
  case audit(String)
  case status(String)

  package var text: String {
    switch self {
    case .live(let name): "\(Self.root)live/\(name.layer.text)/\(name.fileName)"
    case .history(let name, let version):
      "\(Self.historyPrefix(name))\(Self.padded(version))"
    case .host(let host): "\(Self.root)host/\(host)"
    case .audit(let name): "\(Self.root)audit/\(name)"
    case .status(let host): "\(Self.statusRoot)\(host)"
    }
  }

  package static let root = "/cfg/v1/"
  package static let statusRoot = "/status/v1/"

  package static let allPolicies = KeyRange.prefix(root + "live/")
  package static let allHosts = KeyRange.prefix(root + "host/")
  package static let allStatuses = KeyRange.prefix(statusRoot)
  package static let allAudits = KeyRange.prefix(root + "audit/")

  package static func policies(of layer: PolicyLayer) -> KeyRange {
    .prefix("\(root)live/\(layer.text)/")
  }

  package static func policies(of kind: PolicyLayer.Kind) -> KeyRange {
    .prefix("\(root)live/\(kind.rawValue)" + (kind == .all ? "/" : ":"))
  }

  package static func history(of name: PolicyName) -> KeyRange { .prefix(historyPrefix(name)) }

  /// What a host may read: the policies of its layers, and its record.
  package static func readable(by host: HostFacts) -> [KeyRange] {
    [.key(FleetKey.host(host.name).text)]
      + (host.layers + host.userLayers).map { policies(of: $0) }
  }

  private static func historyPrefix(_ name: PolicyName) -> String {
    "\(root)hist/\(name.layer.text)/\(name.fileName)/"
  }

  /// In this form, the order of the keys is that of the numbers.
  private static func padded(_ number: Int64) -> String {
    let digits = String(max(0, number))
    return String(repeating: "0", count: max(0, 10 - digits.utf8.count)) + digits
  }

  /// The number of the version that a key of the history is for; nil if it is no such key.
  package static func version(of key: String) -> Int64? {
    guard key.hasPrefix(root + "hist/") else { return nil }
    let number = key.split(separator: "/").last.flatMap { Int64($0) }
    return number.flatMap { (1...Policy.numberMax).contains($0) ? $0 : nil }
  }

  /// The layer of a policy's key, and the file name of its domain; nil if it is no such key.
  package static func livePart(of key: String) -> (layer: PolicyLayer, fileName: String)? {
    guard key.hasPrefix(root + "live/") else { return nil }
    let parts = key.dropFirst(root.count + 5).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let layer = PolicyLayer(String(parts[0])), !parts[1].isEmpty else {
      return nil
    }
    return (layer, String(parts[1]))
  }

  /// The host of a status's or a record's key; nil if it is no such key.
  package static func host(of key: String) -> String? {
    for start in [root + "host/", statusRoot] where key.hasPrefix(start) {
      let name = String(key.dropFirst(start.count))
      return PlainName.isValid(name) ? name : nil
    }
    return nil
  }
}
