import Foundation
import StrataDefaults

/// Our `UserDefaults`, the class: the whole search list, coercion and notifications.
struct StrataClassPeer: Peer {
  static let name = "Strata class"

  var name: String { Self.name }
  let limits = PeerLimits(keys: .max, set: .max, synchronize: .max, fill: .max)
  let isCoherent = true
  let tells = true

  func prepare(_ directory: String, _ keys: Keys) throws {
    let values = keys.texts.enumerated().map { index, key in (key, Self.value(index)) }
    let defaults = try defaults(directory)
    defaults.setPersistentDomain(
      Dictionary(uniqueKeysWithValues: values), forName: suite(directory))
    guard defaults.synchronize() else {
      throw BenchError("can't store: \(StrataDefaults.UserDefaults.storageIssues)")
    }
  }

  var storeType: any PeerStore.Type { DefaultsStore<StrataDefaults.UserDefaults>.self }

  func open(_ directory: String) throws -> any PeerStore {
    DefaultsStore(defaults: try defaults(directory))
  }

  func defaults(_ directory: String) throws -> StrataDefaults.UserDefaults {
    guard let defaults = StrataDefaults.UserDefaults(suiteName: suite(directory)) else {
      throw BenchError("there is no UserDefaults for \(suite(directory))")
    }
    return defaults
  }

  private func suite(_ directory: String) -> String {
    "bench-" + Names.last(of: directory)
  }

  private static func value(_ index: Int) -> Any {
    switch index % 3 {
    case 0: index % 2 == 0
    case 1: index
    default: Keys.stringValue
    }
  }
}
