import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import DefaultsCommand

/// In which order changes are told.
struct ChangeReporterTests {
  // C-21
  @Test func `what was seen later is told later, and nobody waits for whoever tells`() {
    let value = Guarded<Int64>(0)
    let told = Guarded<[PropertyListValue?]>([])
    let (begun, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let teller = ChangeReporter(from: ["k": .integer(0)]) {
      ["k": .integer(value.withLock { $0 })]
    } _: { difference in
      if told.withLock(\.isEmpty) {
        begun.signal()
        go.wait()
      }
      told.withLock { $0.append(difference.changes["k"]?.new) }
    }
    value.withLock { $0 = 1 }
    let ended = DispatchSemaphore(value: 0)
    Thread {
      teller.check()
      ended.signal()
    }.start()
    begun.wait()
    for number in Int64(2)...4 {
      value.withLock { $0 = number }
      teller.check()
    }
    let early = told.withLock { $0 }
    #expect(early.isEmpty)
    go.signal()
    ended.wait()
    let all = told.withLock { $0 }
    #expect(all == [.integer(1), .integer(2), .integer(3), .integer(4)])
  }
}
