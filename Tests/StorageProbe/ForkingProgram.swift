import CProbe
import Glibc
import StrataStorage
import Synchronization

/// Forks while threads read and write. Parent and child then set and read, each for itself.
///
/// Standard input is a list of rounds: for each line the program forks once and answers `ok` or
/// what was wrong. After the line `leave` it leaves a child alone that lives until it is killed,
/// and answers the child's number.
final class ForkingProgram: Sendable {
  private let store: Store
  private let rounds = Atomic<Int64>(0)

  init(_ store: Store) { self.store = store }

  func run() {
    for index in 0..<2 {
      startThread { [self] in writeForever("writer\(index)") }
      startThread { [self] in readForever("writer\(index)") }
    }
    startThread { [self] in while true { store.flush() } }
    say("ready")
    while let line = readLine() { say(line == "leave" ? leave() : round()) }
  }

  private func writeForever(_ key: String) {
    var number: Int64 = 0
    while true {
      set(store, key, number)
      number += 1
    }
  }

  private func readForever(_ key: String) {
    while true { _ = store.integer(forKey: key) }
  }

  private func round() -> String {
    let round = rounds.add(1, ordering: .relaxed).newValue
    let child = probe_fork()
    if child == 0 { beChild(round) }
    set(store, "parent", round)
    guard store.integer(forKey: "parent") == round else { return "the parent misses its own set" }
    guard let code = wait(for: child) else { return "the child hangs" }
    if code != 0 { return "the child ended with \(code)" }
    let found = store.integer(forKey: "child")
    return found == round ? "ok" : "the parent finds \(text(of: store.value(forKey: "child")))"
  }

  private func beChild(_ round: Int64) -> Never {
    probe_end_after(120)  // a child that hangs ends with a signal
    for index in 0..<50 {
      set(store, "child.\(index)", round)
      if store.integer(forKey: "child.\(index)") != round { _exit(3) }
    }
    set(store, "child", round)
    if store.integer(forKey: "child") != round { _exit(4) }
    if round % 2 == 0 { exit(0) }
    _exit(0)
  }

  private func leave() -> String {
    let child = probe_fork()
    if child == 0 {
      while true { pause() }
    }
    return "\(child)"
  }

  private func wait(for child: pid_t) -> Int32? {
    var status: Int32 = 0
    guard waitpid(child, &status, 0) == child else { return nil }
    return status
  }
}
