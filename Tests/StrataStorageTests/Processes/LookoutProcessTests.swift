import Glibc
import StrataPropertyList
import Testing

@testable import StrataStorage

/// Sets of a process that has set so much that the kernel tells it of edits in memory.
@Suite struct LookoutProcessTests {
  private static let isFiltered: Bool = {
    do {
      let disk = SystemFileSystem()
      let file = try disk.openAny("/proc/self/status")
      defer { disk.close(file) }
      let text = String(decoding: try disk.read(file, at: 0, count: 1 << 14), as: UTF8.self)
      return text.contains("\nSeccomp:") && !text.contains("\nSeccomp:\t0\n")
    } catch {
      return true
    }
  }()

  // S-8, S-25
  @Test(.enabled(if: !isFiltered, "where system calls are filtered, the kernel is asked"))
  func `a set after an edit wins, and all else comes from that, also without a call`() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      let store = place.freshStore()
      try #require(!store.feed.isWatchingMemory)
      for number in 0..<300_000 as Range<Int64> { try store.set(.integer(number), forKey: "n") }
      var countInMemory = 0
      for round in Int64(1)...300 {
        // After an edit, it takes some looks until the kernel watches again.
        for number in 0..<150 as Range<Int64> { try store.set(.integer(number), forKey: "n") }
        if store.feed.isWatchingMemory { countInMemory += 1 }
        let bytes = try foreignList(["a": round, "b": round])
        if round % 2 == 0 {
          try place.exchange(place.plist, bytes)
        } else {
          try place.overwrite(place.plist, bytes)
        }
        try store.set(.integer(-round), forKey: "b")
        try #require(store.integer(forKey: "a") == round, "round \(round)")
        try #require(store.integer(forKey: "b") == -round, "round \(round)")
        try #require(store.integer(forKey: "n") == nil, "round \(round)")
      }
      try #require(countInMemory > 290)
      try #require(store.flush())
    }
  }
}
