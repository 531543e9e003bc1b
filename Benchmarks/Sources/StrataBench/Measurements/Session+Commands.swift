import CBench
import Foundation

/// Whole processes of commands that read and write one setting among 100.
extension Session {
  func measureCommands() throws {
    let place = try makeDirectory("\(options.directory)/commands")
    let field = CommandPeer.all(peers: options.peers, in: place).filter { peer in
      do {
        try peer.prepare()
        return true
      } catch {
        contestants.leaveOut(peer.name, because: error)
        return false
      }
    }
    let rounds = options.isQuick ? 10 : 100
    report.begin(
      "A command's whole process, 100 keys",
      "From before the process is started until it has ended, in turns, \(rounds) times each.")
    for (title, arguments) in [("read", \CommandPeer.read), ("write", \CommandPeer.write)] {
      var samples: [String: [Double]] = [:]
      for round in 0..<rounds {
        for peer in field {
          let words = peer[keyPath: arguments].map {
            $0.replacingOccurrences(of: "VALUE", with: "value\(round)")
          }
          samples[peer.name, default: []].append(try CommandPeer.time(words))
        }
      }
      let medians = field.map { ($0.name, Distribution(samples[$0.name] ?? []).median) }
      report.add(title, medians)
      let others = medians.filter { $0.0 != StrataPeer.name && $0.0 != CommandPeer.floor }
      guard let ours = medians.first?.1, let best = others.map(\.1).min() else { continue }
      report.note("command \(title)", ours / best)
    }
  }
}
