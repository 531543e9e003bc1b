import Foundation
import Observation
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Many threads that use the same typed keys.
struct KeysConcurrencyTests {
  private func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let end = DispatchGroup()
    for number in 0..<count {
      end.enter()
      Thread.detachNewThread {
        work(number)
        end.leave()
      }
    }
    end.wait()
  }

  // W-11
  @Test(arguments: [true, false]) func `updates of eight threads are all counted`(
    inMemory: Bool
  ) throws {
    let defaults = inMemory ? UserDefaults.inMemory() : try DefaultsFixture().defaults
    onThreads(8) { _ in
      for _ in 0..<2_000 { defaults.update(.counter) { $0 += 1 } }
    }
    #expect(defaults.counter == 16_000)
  }

  // W-9, W-11, O-15
  @Test(arguments: [true, false]) func `readers see whole values and whole transactions`(
    inMemory: Bool
  ) throws {
    let defaults = inMemory ? UserDefaults.inMemory() : try DefaultsFixture().defaults
    let fired = Box<Int>()
    onThreads(6) { thread in
      for round in 0..<150 {
        switch thread {
        case 0:
          defaults.layout = Layout(columns: round, names: ["\(round)"])
        case 1:
          defaults.transaction { draft in
            draft["a"] = .integer(Int64(round))
            draft["b"] = .integer(Int64(round))
          }
        case 2:
          withObservationTracking {
            _ = defaults.layout
          } onChange: {
            fired.add(1)
          }
        case 3:
          let snapshot = defaults.snapshot()
          #expect(snapshot["a"] == snapshot["b"])
        default:
          let layout = defaults.layout
          #expect(layout.names.isEmpty || layout.names == ["\(layout.columns)"])
        }
      }
    }
    withObservationTracking {
      _ = defaults.layout
    } onChange: {
      fired.add(1)
    }
    let before = fired.count
    defaults.layout.columns = -1
    #expect(fired.count > before)
  }
}
