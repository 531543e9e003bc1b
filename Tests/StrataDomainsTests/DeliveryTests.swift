import Dispatch
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDomains
@testable import StrataStorage

/// Which thread delivers a change.
struct DeliveryTests {
  private struct Call: Equatable {
    let value: PropertyListValue?
    let thread: ThreadIdentity
  }

  private let calls = Guarded<[Call]>([])
  private static let here = Observer.Origin.here(ObjectIdentifier(DeliveryTests.self))

  /// - Parameter during: called within each call.
  private func observer(_ during: @escaping @Sendable (Observer) -> Void = { _ in }) -> Observer {
    let observer = Observer(
      ["k"],
      onChange: { [calls] observer, change in
        calls.withLock { $0.append(Call(value: change.new[0], thread: .current)) }
        during(observer)
      })
    observer.start(with: [nil])
    return observer
  }

  private func onOtherThread(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    #expect(
      Thread.start {
        body()
        end.signal()
      })
    end.wait()
  }

  // O-5
  @Test func `what a thread has changed is delivered by it, though another one comes first`() {
    let observer = observer()
    #expect(observer.record([1], by: Self.here))
    onOtherThread { observer.notify() }
    #expect(calls.withLock { $0 } == [])
    // Nor does a change by others, recorded after it, take it along.
    onOtherThread {
      _ = observer.record([2], by: .elsewhere)
      observer.notify()
    }
    #expect(calls.withLock { $0 } == [])
    observer.notify()
    #expect(calls.withLock { $0 }.map(\.value) == [1, 2])
    #expect(calls.withLock { $0 }.allSatisfy { $0.thread == .current })
  }

  // O-5
  @Test func `a change that comes while another thread is calling is delivered by that thread`() {
    let isFirst = Guarded(true)
    let observer = observer { [self] observer in
      guard
        isFirst.withLock({ first in
          defer { first = false }; return first
        })
      else { return }
      onOtherThread {
        _ = observer.record([2], by: Self.here)
        observer.notify()
      }
    }
    _ = observer.record([1], by: Self.here)
    observer.notify()
    #expect(calls.withLock { $0 }.map(\.value) == [1, 2])
    #expect(calls.withLock { $0 }.allSatisfy { $0.thread == .current })
  }

  // O-5
  @Test func `who has made a change delivers what comes before it, and waits for nobody`() {
    let observer = observer()
    _ = observer.record([1], by: Self.here)
    onOtherThread {
      _ = observer.record([2], by: Self.here)
      observer.notify()
    }
    #expect(calls.withLock { $0 }.map(\.value) == [1, 2])
    #expect(calls.withLock { $0 }.allSatisfy { $0.thread != .current })
    observer.notify()
    #expect(calls.withLock { $0 }.count == 2)
  }
}
