import Foundation

import struct StrataDefaults.Preferences
import class StrataDefaults.UserDefaults

/// What the program can be told; also what the library advises against.
protocol Answering {
  func answer(_ command: String, _ words: [String]) -> String
}

struct DomainsService: Answering {
  @available(*, deprecated)
  func answer(_ command: String, _ words: [String]) -> String {
    switch command {
    case "get": return text(UserDefaults.standard.object(forKey: words[0]))
    case "set":
      UserDefaults.standard.set(words[1], forKey: words[0])
      return "ok"
    case "set-url":
      UserDefaults.standard.set(URL(fileURLWithPath: words[1]), forKey: words[0])
      return "ok"
    case "url": return UserDefaults.standard.url(forKey: words[0])?.path ?? "nil"
    case "remove":
      UserDefaults.standard.removeObject(forKey: words[0])
      return "ok"
    case "sync": return "\(UserDefaults.standard.synchronize())"
    case "issues":
      let issues = UserDefaults.storageIssues.map { "\($0)" }
      return issues.isEmpty ? "none" : issues.joined(separator: " | ")
    case "become":
      return setgid(gid_t(words[0]) ?? 0) == 0 && setuid(uid_t(words[0]) ?? 0) == 0 ? "ok" : "no"
    case "arguments":
      let domain = UserDefaults.standard.volatileDomain(forName: UserDefaults.argumentDomain)
      return domain.keys.sorted().map { "\($0)=\(text(domain[$0]))" }.joined(separator: " ")
    default: return answerAboutDomains(command, words)
    }
  }

  @available(*, deprecated)
  private func answerAboutDomains(_ command: String, _ words: [String]) -> String {
    let name = words.first ?? ""
    switch command {
    case "bundle": return Bundle.main.bundleIdentifier ?? "none"
    case "identifier": return UserDefaults.applicationIdentifier
    case "choose":
      UserDefaults.applicationIdentifier = name
      return "ok"
    case "new": return text(UserDefaults().object(forKey: name))
    case "suiteless":
      guard let same = UserDefaults(suiteName: nil) else { return "nil" }
      return same === UserDefaults.standard ? "standard" : text(same.object(forKey: name))
    case "suite":
      guard let suite = UserDefaults(suiteName: name) else { return "nil" }
      return words.count > 1 ? text(suite.object(forKey: words[1])) : "ok"
    case "set-in-suite":
      UserDefaults(suiteName: name)?.set(words[2], forKey: words[1])
      return "ok"
    case "empty-suite": return UserDefaults(suiteName: "") == nil ? "nil" : "ok"
    case "add":
      UserDefaults.standard.addSuite(named: name)
      return "ok"
    case "persistent": return text(UserDefaults.standard.persistentDomain(forName: name))
    case "remove-persistent":
      UserDefaults.standard.removePersistentDomain(forName: name)
      return "ok"
    case "set-persistent":
      UserDefaults.standard.setPersistentDomain([words[1]: words[2]], forName: name)
      return "ok"
    case "user": return UserDefaults(user: name).map { text($0.object(forKey: words[1])) } ?? "none"
    case "everyone": return setForEveryone(name, words[1])
    default: fail("there is no command \(command)")
    }
  }

  private func setForEveryone(_ key: String, _ value: String) -> String {
    do {
      let place = try Preferences(user: .any)
      do {
        try place.set(value, forKey: key)
        return "ok"
      } catch {
        return "\(error) \(text(place.value(forKey: key)))"
      }
    } catch {
      return "\(error)"
    }
  }

  /// One line; the keys of a dictionary in their order.
  private func text(_ object: Any?) -> String {
    switch object {
    case nil: "nil"
    case let items as [Any]: "(" + items.map { text($0) }.joined(separator: ",") + ")"
    case let items as [String: Any]:
      "{" + items.keys.sorted().map { "\($0)=\(text(items[$0]))" }.joined(separator: ",") + "}"
    case let data as Data: "<" + data.map { String($0, radix: 16) }.joined() + ">"
    case let other?: "\(other)"
    }
  }
}
