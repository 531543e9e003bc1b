import Glibc
import StrataPropertyList
import Testing

@testable import StrataStorage

/// A process that uses more domains than it may have files open.
@Suite struct ManyDomainsProcessSlowTests {
  /// Elsewhere each journal that is made waits for the disk.
  private var hasRoomInMemory: Bool {
    var room = statvfs()
    return statvfs("/dev/shm", &room) == 0 && access("/dev/shm", W_OK) == 0
      && room.f_bavail * UInt(room.f_bsize) > 1 << 29
  }

  // S-3, S-26
  @Test func `ten thousand domains are written and read with 256 descriptors`() throws {
    let count = 10_000
    let place = try Place(in: hasRoomInMemory ? "/dev/shm" : "/tmp")
    let start = monotonicSeconds()
    let probe = try Probe(["many", place.plist, "\(count)", "256"])
    #expect(try probe.line(within: 1_200) == "0 0 ")
    let used = monotonicSeconds()
    #expect(try probe.wait() == .exited(0))
    let end = monotonicSeconds()
    print("\(count) domains set and read in \(used - start) s, ended in \(end - used) s")
    let process = StorageProcess(on: LimitedDisk(openStores: 16), isAutomatic: false)
    let wrong = (0..<count).filter { number in
      let paths = StorePaths(identifier: "many.\(number)", in: place.plist + ".d")
      return process.store(at: paths).integer(forKey: "key") != Int64(number)
    }
    #expect(wrong.isEmpty)
  }
}
