import Foundation

import class StrataDefaults.UserDefaults

/// Reads a key on two threads at the same moment, first of all in the process, and says what each
/// of them got.
struct Race {
  let key: String

  func run() {
    let (ready, found) = (Counter(), Findings())
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      Thread.detachNewThread { [key] in
        ready.add()
        while ready.value < 2 {}
        found.add(UserDefaults.standard.integer(forKey: key))
        done.signal()
      }
    }
    for _ in 0..<2 { done.wait() }
    say(found.numbers.map(String.init).joined(separator: " "))
  }

  private final class Findings: @unchecked Sendable {
    private(set) var numbers: [Int] = []
    private let lock = NSLock()

    func add(_ number: Int) { lock.withLock { numbers.append(number) } }
  }
}
