import Foundation

/// A peer, and how a child process finds it again.
struct Contestant: Sendable {
  let id: String
  let peer: any Peer

  var name: String { peer.name }

  init(id: String) throws {
    self.id = id
    switch id {
    case "strata": peer = StrataPeer()
    case "class": peer = StrataClassPeer()
    case "foundation": peer = FoundationPeer(configuration: Self.configuration)
    default: peer = try PluginPeer(path: id)
    }
  }

  private static var configuration: String {
    let environment = ProcessInfo.processInfo.environment
    return environment["XDG_CONFIG_HOME"] ?? environment["HOME", default: ""] + "/.config"
  }
}

/// Who takes part, ours first, and who does not and why.
struct Contestants {
  private(set) var all: [Contestant] = []
  private(set) var absent: [(name: String, reason: String)] = []

  init(peers directory: String) throws {
    all = try ["strata", "class", "foundation"].map { try Contestant(id: $0) }
    if directory.isEmpty { return }
    for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted() {
      let path = "\(directory)/\(name)"
      let stem = (name as NSString).deletingPathExtension
      if name.hasSuffix(".missing") {
        let reason = try String(contentsOfFile: path, encoding: .utf8)
        absent.append((stem, reason.trimmingCharacters(in: .whitespacesAndNewlines)))
      } else if name.hasSuffix(".so") {
        do { all.append(try Contestant(id: path)) } catch { absent.append((stem, "\(error)")) }
      }
    }
  }

  /// Leaves out one that can't take part.
  mutating func remove(_ contestant: Contestant, because error: any Error) {
    all.removeAll { $0.id == contestant.id }
    leaveOut(contestant.name, because: error)
  }

  mutating func leaveOut(_ name: String, because error: any Error) {
    absent.append((name, "\(error)"))
  }
}
