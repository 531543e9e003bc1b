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
    let commands: [(String, (CommandPeer, String) -> [String])] = [
      ("read", { peer, _ in peer.read }), ("write", { $0.write($1) }),
    ]
    for (title, words) in commands {
      var samples: [String: [Double]] = [:]
      for round in 0..<rounds {
        for peer in field {
          samples[peer.name, default: []].append(
            try CommandPeer.time(words(peer, "value\(round)")))
        }
      }
      let medians = field.map { ($0.name, Distribution(samples[$0.name] ?? []).median) }
      report.add(title, medians)
      let others = medians.filter { $0.0 != StrataPeer.name && $0.0 != CommandPeer.floor }
      guard let ours = medians.first?.1, let best = others.map(\.1).min() else { continue }
      report.note("command \(title)", ours / best)
    }
  }

  /// How long after a write has begun a watching command has shown it.
  func measureWatching() throws {
    let place = try makeDirectory("\(options.directory)/commands")
    report.begin(
      "From before a command that writes is started to the line of one that watches",
      "With it the writing command has mostly ended: compare with a write above.")
    for peer in CommandPeer.all(peers: options.peers, in: place) {
      guard let words = peer.watch else { continue }
      do { try peer.prepare() } catch {
        contestants.leaveOut(peer.name, because: error)
        continue
      }
      let watch = try Child(words)
      defer { watch.kill() }
      usleep(500_000)
      var times: [Double] = []
      for round in 0..<(options.isQuick ? 10 : 100) {
        let value = "watched\(round)."
        let start = bench_now()
        _ = try CommandPeer.time(peer.write(value))
        while try !watch.line().contains(value) {}
        times.append(Double(bench_now() - start))
      }
      let found = Distribution(times)
      report.addTexts(
        peer.name, [("median", Report.time(found.median)), ("max", Report.time(found.max))])
    }
  }
}
