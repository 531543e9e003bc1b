import Foundation
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Two threads that meet at an observer, step by step: what stands to the right happens on the
/// second thread, after what stands above it.
@Suite struct InterleavingConcurrencyTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }

  init() throws { fixture = try DefaultsFixture() }

  /// Notes changes, and whether one began while another was being told.
  private final class Ear: Sendable {
    private let state = Guarded<(texts: [String], inside: Int, most: Int)>(([], 0, 0))
    var texts: [String] { state.withLock { $0.texts } }
    var most: Int { state.withLock { $0.most } }

    func hear(_ change: UserDefaults.KeyChange<Int>, then body: () -> Void = {}) {
      hear(old: change.old, new: change.new, then: body)
    }

    func hear(old: Int?, new: Int?, then body: () -> Void) {
      let text = { (value: Int?) in value.map { "\($0)" } ?? "-" }
      state.withLock {
        $0.texts.append("\(text(old)) \(text(new))")
        $0.inside += 1
        $0.most = max($0.most, $0.inside)
      }
      body()
      state.withLock { $0.inside -= 1 }
    }
  }

  // O-5
  @Test func `a set waits for nobody, and who is telling tells of it next`() {
    let (ear, told, set) = (Ear(), Gate("told of 1"), Gate("2 is set"))
    let token = defaults.observe("a") { change in
      ear.hear(change) {
        guard change.new == 1 else { return }
        told.open()
        set.wait()
      }
    }
    interleave {
      defaults.set(1, forKey: "a")  // told of 1 …
      //                                    told.wait()
      //                                    set 2: returns, and nobody was told here
      //                                    set.open()
      // … ends; told of 2; returns
      #expect(ear.texts == ["- 1", "1 2"])
    } with: { [fixture] in
      told.wait()
      fixture.defaults.set(2, forKey: "a")
      #expect(ear.texts == ["- 1"], "one call at a time")
      set.open()
    }
    #expect(ear.most == 1)
    token.cancel()
  }

  // O-5
  @Test func `each set while somebody is told is told by itself, also when it comes back`() {
    let (ear, told, set) = (Ear(), Gate("told of 1"), Gate("1 is set again"))
    let token = defaults.observe("a") { change in
      ear.hear(change) {
        guard change.old == nil else { return }
        told.open()
        set.wait()
      }
    }
    interleave {
      defaults.set(1, forKey: "a")  // told of 1 …
      //                                    told.wait()
      //                                    set 2, set 3, set 1
      //                                    set.open()
      // … ends; told of 2, of 3, and of 1
    } with: { [fixture] in
      told.wait()
      for number in [2, 3, 1] { fixture.defaults.set(number, forKey: "a") }
      set.open()
    }
    #expect(ear.texts == ["- 1", "1 2", "2 3", "3 1"])
    #expect(ear.most == 1)
    token.cancel()
  }

  // O-5
  @Test func `who comes after one that sets is told of both changes, in order`() {
    let second = Ear()
    let tokens = [
      defaults.observe("a") { [fixture] (change: UserDefaults.KeyChange<Int>) in
        if change.new == 1 { fixture.defaults.set(2, forKey: "a") }
      },
      defaults.observe("a") { change in second.hear(change) },
    ]
    defaults.set(1, forKey: "a")
    #expect(second.texts == ["- 1", "1 2"])
    for token in tokens { token.cancel() }
  }

  // O-5
  @Test func `a set inside of a call is told before it returns`() {
    let ear = Ear()
    let order = Guarded<[String]>([])
    let token = defaults.observe("a") { [fixture] (change: UserDefaults.KeyChange<Int>) in
      ear.hear(change) {
        guard change.new == 1 else { return }
        fixture.defaults.set(2, forKey: "a")
        order.withLock { $0.append("set returned after \(ear.texts.count) calls") }
      }
    }
    defaults.set(1, forKey: "a")
    #expect(ear.texts == ["- 1", "1 2"])
    #expect(order.withLock { $0 } == ["set returned after 2 calls"])
    token.cancel()
  }

  // O-5, O-10
  @Test func `no call begins after an end, whatever was set before it`() {
    let (ear, told, ended) = (Ear(), Gate("told of 1"), Gate("ended"))
    let token = defaults.observe("a") { change in
      ear.hear(change) {
        told.open()
        ended.wait()
      }
    }
    interleave {
      defaults.set(1, forKey: "a")  // told of 1 …
      //                                    told.wait()
      //                                    set 2
      //                                    cancel: does not wait for the call
      //                                    ended.open()
      // … ends: 2 is not told
    } with: { [fixture] in
      told.wait()
      fixture.defaults.set(2, forKey: "a")
      token.cancel()
      ended.open()
    }
    #expect(ear.texts == ["- 1"])
  }

  // O-2, O-4
  @Test func `what is set while the first value is told comes after it`() {
    let (ear, told, set) = (Ear(), Gate("told first"), Gate("2 is set"))
    defaults.set(1, forKey: "a")
    let token = Guarded<UserDefaults.KeyObservation?>(nil)
    interleave {
      let new = defaults.observe("a", options: .initial) { change in  // told of 1 …
        ear.hear(change) {
          guard change.new == 1 else { return }
          told.open()
          set.wait()
        }
      }
      //                                    told.wait()
      //                                    set 2
      //                                    set.open()
      // … ends; told of 2; there is a token
      #expect(ear.texts == ["- 1", "1 2"])
      token.withLock { $0 = new }
    } with: { [fixture] in
      told.wait()
      fixture.defaults.set(2, forKey: "a")
      #expect(ear.texts == ["- 1"])
      set.open()
    }
    token.withLock { $0 }?.cancel()
  }

  // O-5
  @Test func `two observers of a key are told of each change, by whoever is free`() {
    let (slow, quick) = (Ear(), Ear())
    let (told, set) = (Gate("slow is told of 1"), Gate("2 is set"))
    let tokens = [
      defaults.observe("a") { change in
        slow.hear(change) {
          guard change.new == 1 else { return }
          told.open()
          set.wait()
        }
      },
      defaults.observe("a") { change in quick.hear(change) },
    ]
    interleave {
      defaults.set(1, forKey: "a")  // slow is told of 1 …
      //                                    told.wait()
      //                                    set 2: quick is told of 1 and of 2, slow not yet
      //                                    set.open()
      // … ends; slow is told of 2, and quick of nothing more
    } with: { [fixture] in
      told.wait()
      fixture.defaults.set(2, forKey: "a")
      #expect(quick.texts == ["- 1", "1 2"])
      #expect(slow.texts == ["- 1"])
      set.open()
    }
    #expect(slow.texts == ["- 1", "1 2"])
    #expect(quick.texts == ["- 1", "1 2"])
    for token in tokens { token.cancel() }
  }

  // O-10
  @Test func `an observing object that goes while it is told is told no more`() {
    let (ear, told, gone) = (Ear(), Gate("told of 1"), Gate("let go and set"))
    let object = Guarded<Teller?>(
      Teller { new in
        ear.hear(old: nil, new: new) {
          told.open()
          gone.wait()
        }
      })
    object.withLock { $0 }.map {
      defaults.addObserver($0, forKeyPath: "a", options: .new, context: nil)
    }
    interleave {
      defaults.set(1, forKey: "a")  // told of 1 …
      //                                    told.wait()
      //                                    lets the object go, which the call alone keeps
      //                                    set 2
      //                                    gone.open()
      // … ends, and with it the object: 2 is not told
    } with: { [fixture] in
      told.wait()
      object.withLock { $0 = nil }
      fixture.defaults.set(2, forKey: "a")
      gone.open()
    }
    defaults.set(3, forKey: "a")
    #expect(ear.texts == ["- 1"])
  }

  // O-10
  @Test func `what is observed may be released while somebody is told`() throws {
    let (ear, told, gone) = (Ear(), Gate("told of 1"), Gate("released"))
    let suite = Guarded<UserDefaults?>(try fixture.suite("com.example.suite"))
    let object = Teller { new in
      ear.hear(old: nil, new: new) {
        told.open()
        gone.wait()
      }
    }
    suite.withLock { $0 }?.addObserver(object, forKeyPath: "a", options: .new, context: nil)
    let twin = try fixture.suite("com.example.suite")
    interleave {
      twin.set(1, forKey: "a")  // told of 1 …
      //                                    told.wait()
      //                                    releases what is observed
      //                                    set 2
      //                                    gone.open()
      // … ends: 2 is not told
    } with: {
      told.wait()
      suite.withLock { $0 = nil }
      twin.set(2, forKey: "a")
      gone.open()
    }
    twin.set(3, forKey: "a")
    #expect(ear.texts == ["- 1"])
    withExtendedLifetime(object) {}
  }

  private final class Teller: KeyValueObserver {
    private let tell: (Int?) -> Void

    init(_ tell: @escaping (Int?) -> Void) { self.tell = tell }

    override func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      tell(change?[.newKey] as? Int)
    }
  }
}
