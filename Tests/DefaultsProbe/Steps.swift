import Foundation
import StrataDefaults
import StrataPropertyList

import class StrataDefaults.UserDefaults

/// What a process does in steps that nobody may come between, once it is told to go.
struct Steps {
  private let defaults = UserDefaults.standard

  /// Waits for a line, so that several processes begin together.
  private func begin() {
    say("ready")
    _ = readLine()
  }

  /// Adds one, as often as that.
  func increment(_ key: String, _ count: Int) {
    begin()
    for _ in 0..<count { defaults.update(key, default: 0) { $0 += 1 } }
    say("done")
  }

  /// Gives ten keys the same next number, again and again, until the process is killed.
  func transact() -> Never {
    begin()
    while true {
      defaults.transaction { draft in
        let next = (draft["ten.0"].flatMap { Int(stored: $0) } ?? 0) + 1
        for number in 0..<10 { draft["ten.\(number)"] = .integer(Int64(next)) }
      }
    }
  }

  /// Runs a migration of twenty steps, each of which adds one to a value.
  /// - Parameter end: the step in which the process is killed.
  func migrate(dyingAt end: Int?) {
    begin()
    defaults.migrate(
      (0..<20).map { step in
        .transform("step.\(step)", from: Int.self) { old in
          if step == end { kill(getpid(), SIGKILL) }
          return old + 1
        }
      })
    say("done")
  }
}
