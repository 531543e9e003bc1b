import Foundation
import Observation
import Testing

@testable import StrataDefaults
@testable import StrataDomains
@testable import class StrataDefaults.UserDefaults

/// Changes while a tracked closure runs: Observation registers what it read when it has returned.
struct TrackingConcurrencyTests {
  private let defaults = UserDefaults.inMemory()
  private let fired = Box<Int>()

  private func track(_ read: () -> Void) {
    withObservationTracking(read) { [fired] in fired.add(1) }
  }

  /// Sets the counter to 1, 2, … and waits for that.
  private func change(times: Int, byOther: Bool) {
    let work: @Sendable () -> Void = { [defaults] in
      for number in 0..<times { defaults.counter = number + 1 }
    }
    if byOther { interleave({}, with: work) } else { work() }
  }

  private func eventually(_ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(600)
    while !condition() {
      if ContinuousClock.now > end { return false }
      poll(nil, 0, 1)
    }
    return true
  }

  /// Waits until everything has run that was to be run by now, and a little later.
  private func settle() {
    let later = Gate("a little later")
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { later.open() }
    later.wait()
  }

  // O-15
  @Test(arguments: 1...3, [true, false])
  func `a change while the closure runs fires the tracking once, after it`(
    changes: Int, byOther: Bool
  ) {
    track {
      _ = defaults.counter
      change(times: changes, byOther: byOther)
      #expect(fired.count == 0)
    }
    #expect(eventually { fired.count == 1 })
    settle()
    defaults.counter = 10
    defaults.counter = 11
    settle()
    #expect(fired.count == 1)
    track { _ = defaults.counter }
    defaults.counter = 12
    #expect(fired.count == 2)
  }

  // O-15
  @Test func `a tracking during which nothing changed fires once for a change`() {
    track { _ = defaults.counter }
    track { for _ in 0..<5 { _ = defaults.counter } }
    settle()
    #expect(fired.count == 0)
    defaults.counter = 1
    #expect(fired.count == 2)
    settle()
    #expect(fired.count == 2)
  }

  // O-15
  @Test func `a tracking that is fired late fires nobody who read after the change`() {
    let since = Box<Int>()
    track {
      _ = defaults.counter
      change(times: 2, byOther: true)
      interleave({}) { [defaults] in
        withObservationTracking({ _ = defaults.counter }) { since.add(1) }
      }
    }
    #expect(eventually { fired.count == 1 })
    settle()
    #expect(since.count == 0)
    defaults.counter = 5
    #expect(since.count == 1 && fired.count == 1)
  }

  // O-15
  @Test func `values that are read between and after the changes fire a tracking once`() {
    track {
      for number in 1...3 {
        _ = defaults.counter
        defaults.counter = number
        for id in 0..<20 { _ = defaults[.recent(id * number)] }
      }
      _ = defaults.counter
    }
    #expect(eventually { fired.count >= 1 })
    settle()
    #expect(fired.count == 1)
  }

  // O-15
  @Test func `what a tracked closure tracks itself is fired, too, each once`() {
    let inner = Box<Int>()
    track {
      _ = defaults.theme
      _ = defaults.counter
      withObservationTracking {
        _ = defaults.counter
        change(times: 2, byOther: true)
      } onChange: {
        inner.add(1)
      }
    }
    #expect(eventually { fired.count == 1 && inner.count == 1 })
    settle()
    defaults.counter = 5
    settle()
    #expect(fired.count == 1 && inner.count == 1)
  }

  // O-15
  @Test(arguments: 0...2) func `what is tracked again while a change is told is fired`(
    changes: Int
  ) {
    withObservationTracking {
      _ = defaults.counter
    } onChange: {
      track {
        _ = defaults.counter
        change(times: changes, byOther: false)
      }
    }
    defaults.counter = -1
    if changes == 0 {
      settle()
      #expect(fired.count == 0)
      defaults.counter = -2
    }
    #expect(eventually { fired.count == 1 })
  }

  // O-15
  @Test func `nobody observes a key any more after a tracking was fired late`() {
    track {
      _ = defaults.counter
      change(times: 3, byOther: true)
    }
    #expect(eventually { fired.count == 1 })
    defaults.counter = 10
    #expect(defaults.tracker.count == 0 && !defaults.stack.process.isObserved)
  }

  // O-15
  @Test func `a tracking fires late also when the object that was read is gone`() {
    let stack = defaults.stack
    track {
      _ = UserDefaults(on: stack).counter
      change(times: 2, byOther: true)
    }
    #expect(eventually { fired.count == 1 })
  }

  // O-15
  @Test(.timeLimit(.minutes(30)))
  func `observations end with the last value of one who sets without a pause`() async {
    for round in 1...10 {
      let last = round * 10_000 + 1_000
      Thread.detachNewThread { [defaults] in
        for number in 1...1_000 { defaults.counter = round * 10_000 + number }
      }
      for await value in Observations({ [defaults] in defaults.counter }) where value == last {
        break
      }
    }
    #expect(defaults.counter == 101_000)
  }
}
