import Dispatch
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// What one thread takes from the kernel's queue, and others ask for.
@Suite struct FeedTests {
  // S-8
  @Test func `a set misses no edit that another thread has taken from the queue and not told`()
    throws
  {
    let place = try Place()
    let (isTaken, isSet) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let waits = Guarded(false)
    let disk = InterruptedDisk(afterTaking: {
      guard waits.withLock({ $0 }) else { return }
      waits.withLock { $0 = false }
      isTaken.signal()
      // Who asks has to wait for this thread: then nobody says that it has set anything.
      _ = isSet.wait(timeout: .now() + 0.3)
    })
    let process = StorageProcess(on: disk, isAutomatic: false)
    process.useKernelEvents()
    let store = process.store(at: place.paths)
    try store.set(.integer(1), forKey: "a")
    store.lock.withLock { store.refresh() }
    waits.withLock { $0 = true }
    try place.exchange(place.plist, try foreignList(["a": 2, "b": 2]))
    let end = DispatchSemaphore(value: 0)
    try #require(
      Thread.start {
        store.feed.drain()
        end.signal()
      })
    isTaken.wait()
    try store.set(.integer(3), forKey: "a")
    isSet.signal()
    end.wait()
    #expect(store.snapshot().values == ["a": .integer(3), "b": .integer(2)])
    #expect(place.freshValues() == ["a": .integer(3), "b": .integer(2)])
  }
}
