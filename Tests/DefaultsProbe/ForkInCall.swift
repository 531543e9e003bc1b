import CProbe
import Dispatch
import Foundation

import class StrataDefaults.KeyValueObserver
import class StrataDefaults.UserDefaults

/// A `fork` while another thread is in the call of an observer.
struct ForkInCall {
  private let defaults: UserDefaults

  init(_ defaults: UserDefaults) { self.defaults = defaults }

  /// The status with which the child ends: how many of its two observers heard of its set.
  func status() -> String {
    let (inside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let parent = getpid()
    let heard = Counter()
    let closure = defaults.observe("fork", as: Int.self) { _ in
      if getpid() != parent { return heard.add() }
      inside.signal()
      goOn.wait()
    }
    let property = defaults.observe(\.forked, options: .new) { _, _ in
      if getpid() != parent { return heard.add() }
      inside.signal()
      goOn.wait()
    }
    for key in ["fork", "forked"] {
      Thread.detachNewThread { [defaults] in defaults.set(1, forKey: key) }
      inside.wait()
    }
    let child = probe_fork()
    if child == 0 {
      probe_end_after(120)  // one that hangs ends with a signal
      defaults.set(2, forKey: "fork")
      defaults.set(2, forKey: "forked")
      _exit(Int32(heard.value))
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    for _ in 0..<2 { goOn.signal() }
    closure.cancel()
    property.invalidate()
    return status & 0x7f == 0 ? "\(status >> 8)" : "signal \(status & 0x7f)"
  }
}

/// Many `fork`s while other threads add and remove observers.
struct ForksWhileObserving {
  private final class Ruler: KeyValueObserver, @unchecked Sendable {}

  private let defaults: UserDefaults

  init(_ defaults: UserDefaults) { self.defaults = defaults }

  func run() -> String {
    for number in 0..<2 {
      Thread.detachNewThread { [defaults] in
        let ruler = Ruler()
        while true {
          defaults.addObserver(ruler, forKeyPath: "a\(number)", context: nil)
          defaults.removeObserver(ruler, forKeyPath: "a\(number)")
        }
      }
    }
    // An instrumented program takes many times as long for a `fork`.
    let end = ContinuousClock.now + .seconds(20)
    for _ in 0..<1_500 where ContinuousClock.now < end {
      let child = probe_fork()
      if child == 0 { _exit(0) }
      var status: Int32 = 0
      waitpid(child, &status, 0)
    }
    return "ok"
  }
}

private extension UserDefaults {
  var forked: Int { integer(forKey: "forked") }
}
