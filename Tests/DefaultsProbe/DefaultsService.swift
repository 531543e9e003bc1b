import Foundation

import class StrataDefaults.UserDefaults

/// Does what one line says, and answers it.
final class DefaultsService {
  private let defaults: UserDefaults
  private let notices = Counter()
  private var observations: [UserDefaults.KeyObservation] = []

  init(_ defaults: UserDefaults) { self.defaults = defaults }

  func answer(_ command: String, _ words: [String]) -> String {
    switch command {
    case "set": return set(words[0], words[1], words[2])
    case "remove":
      defaults.removeObject(forKey: words[0])
      return "ok"
    case "set-nil":
      defaults.set(nil, forKey: words[0])
      return "ok"
    case "get": return get(words[0], words[1])
    case "sync": return "\(defaults.synchronize())"
    case "own":
      return "\(defaults.persistentDomain(forName: UserDefaults.applicationIdentifier)?.count ?? 0)"
    case "observe": return observe()
    case "watch":
      observations.append(defaults.observe(words[0], as: Int.self) { [notices] _ in notices.add() })
      return "ok"
    case "unwatch":
      observations.removeAll()
      return "ok"
    case "fork-in-call": return ForkInCall(defaults).status()
    case "fork-while-observing": return ForksWhileObserving(defaults).run()
    case "notices": return "\(notices.value)"
    case "is-standard": return "\(UserDefaults.standard === defaults)"
    case "issues": return "\(UserDefaults.storageIssues)"
    case "umask": return "\(umask(mode_t(words[0], radix: 8) ?? 0))"
    case "quit": exit(0)
    default: fail("there is no command \(command)")
    }
  }

  private func set(_ key: String, _ type: String, _ text: String) -> String {
    switch type {
    case "integer": defaults.set(Int(text) ?? 0, forKey: key)
    case "text": defaults.set(text, forKey: key)
    case "bool": defaults.set(text == "true", forKey: key)
    case "double": defaults.set(Double(text) ?? .nan, forKey: key)
    case "url": defaults.set(URL(string: text), forKey: key)
    default: fail("there is no type \(type)")
    }
    return "ok"
  }

  /// What an accessor says; reals as their bits, which lose nothing.
  private func get(_ accessor: String, _ key: String) -> String {
    switch accessor {
    case "integer": "\(defaults.integer(forKey: key))"
    case "text": defaults.string(forKey: key) ?? "nil"
    case "bool": "\(defaults.bool(forKey: key))"
    case "double": "\(defaults.double(forKey: key).bitPattern)"
    case "float": "\(defaults.float(forKey: key).bitPattern)"
    case "date":
      (defaults.object(forKey: key) as? Date)
        .map { "\($0.timeIntervalSinceReferenceDate.bitPattern)" } ?? "nil"
    case "url":
      defaults.url(forKey: key)
        .map { "\($0.absoluteString) from \($0.baseURL?.absoluteString ?? "nothing")" } ?? "nil"
    case "unsigned": "\((defaults.object(forKey: key) as? UInt64).map(String.init) ?? "nil")"
    case "type": "\(defaults.object(forKey: key).map { "\(type(of: $0))" } ?? "nil")"
    case "depth": "\(depth(of: defaults.object(forKey: key)))"
    default: fail("there is no accessor \(accessor)")
    }
  }

  private func depth(of object: Any?) -> Int {
    guard let items = object as? [Any] else { return 0 }
    return 1 + depth(of: items.first)
  }

  private func observe() -> String {
    _ = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: nil, queue: nil
    ) { [notices] _ in notices.add() }
    return "ok"
  }
}
