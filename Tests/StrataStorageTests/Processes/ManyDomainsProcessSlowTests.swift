import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// A process that uses more domains than it may have files open.
@Suite(.waiting) struct ManyDomainsProcessSlowTests {
  /// Elsewhere each journal that is made waits for the disk.
  private var hasRoomInMemory: Bool {
    var room = statvfs()
    return statvfs("/dev/shm", &room) == 0 && access("/dev/shm", W_OK) == 0
      && room.f_bavail * UInt(room.f_bsize) > 1 << 29
  }

  // S-3, S-7, S-26
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
    let late = (0..<count).map { StorePaths(identifier: "many.\($0)", in: place.plist + ".d") }
      .enumerated().filter { number, paths in
        let plist = PlistFile(path: paths.plist, disk: SystemFileSystem()).read()
        return plist.values != ["key": .integer(Int64(number))]
      }
    let first = late.first.map { "\($0.element.plist): \(StoreCheck($0.element).findings)" }
    // The array itself would be told whole.
    let lateCount = late.count
    #expect(lateCount == 0, "\(first ?? "")")
  }
}
