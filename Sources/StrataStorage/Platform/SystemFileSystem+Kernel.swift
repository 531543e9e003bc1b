import CStrata
import StrataSystem

/// Locks that end with their process, and the queue of changes in directories.
extension SystemFileSystem {
  package func lockByte(_ file: FileID, _ offset: Int64) throws(StorageError) -> Bool {
    let result = strata_lock_byte(file.rawValue, offset)
    guard result >= 0 else { throw failure(.lock, file) }
    return result == 0
  }

  package func unlockByte(_ file: FileID, _ offset: Int64) {
    strata_unlock_byte(file.rawValue, offset)
  }

  func makeFeed() throws(StorageError) -> FileID {
    let descriptor = strata_make_feed()
    guard descriptor >= 0 else { throw failure(.watch, "inotify") }
    return FileID(rawValue: descriptor)
  }

  func watch(
    _ path: String, for interest: FileInterest, with feed: FileID
  ) throws(StorageError) -> Int32 {
    let mask =
      switch interest {
      case .itself: IN_DONT_FOLLOW
      case .directory: IN_DONT_FOLLOW | IN_ONLYDIR
      case .names: Self.nameEvents | IN_ONLYDIR
      case .signals: Self.nameEvents | IN_ACCESS | IN_ATTRIB | IN_ONLYDIR
      case .changes: Self.nameEvents | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_ONLYDIR
      }
    let mask32 = UInt32(mask | IN_DELETE_SELF | IN_MOVE_SELF | IN_MASK_ADD)
    return try at(path) { spot throws(StorageError) in
      if spot.around == nil { return try watch(path, mask32, feed, path) }
      // The kernel takes paths only: this one leads to the file that is open.
      let flags = Self.placeOnly | (mask & IN_ONLYDIR != 0 ? O_DIRECTORY : 0)
      let file = spot.open(flags)
      guard file >= 0 else { throw failure(.watch, path) }
      defer { _ = StrataSystem.close(file) }
      do throws(StorageError) {
        let way = "/proc/self/fd/\(file)"
        return try watch(way, mask32 & ~UInt32(IN_DONT_FOLLOW), feed, path)
      } catch {
        // There is no /proc: a watch of what a link leads to does no harm.
        if error.code == ENOENT { return try watch(path, mask32, feed, path) }
        throw error
      }
    }
  }

  private func watch(
    _ way: String, _ mask: UInt32, _ feed: FileID, _ path: String
  ) throws(StorageError) -> Int32 {
    let watch = inotify_add_watch(feed.rawValue, way, mask)
    guard watch >= 0 else { throw failure(.watch, path) }
    return watch
  }

  private static let nameEvents = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO

  private static func kind(of mask: UInt32) -> FileEvent.Kind {
    if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .overflow }
    if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { return .gone }
    return mask & UInt32(nameEvents) != 0 ? .name : .change
  }

  func hasEvents(_ feed: FileID) -> Bool { strata_bytes_waiting(feed.rawValue) != 0 }

  func makeLookout(for feed: FileID) -> Lookout? { Lookout(for: feed) }

  func unwatch(_ watch: Int32, with feed: FileID) { inotify_rm_watch(feed.rawValue, watch) }

  func waitForEvents(_ feed: FileID, atMost limit: Int64?) {
    var descriptor = pollfd(fd: feed.rawValue, events: Int16(POLLIN), revents: 0)
    let milliseconds = limit.map { Int32(clamping: ($0 + 999_999) / 1_000_000) }
    _ = poll(&descriptor, 1, milliseconds ?? -1)
  }

  func signal(_ file: FileID) {
    // To read a byte is the cheapest call that makes an event.
    var byte: UInt8 = 0
    if pread(file.rawValue, &byte, 1, 0) != 1 { _ = futimens(file.rawValue, nil) }
  }

  func events(_ feed: FileID) -> [FileEvent] {
    var events: [FileEvent] = []
    // Safety: the kernel writes into the buffer no more than its size, and says how much.
    withUnsafeTemporaryAllocation(byteCount: 1 << 12, alignment: 16) { buffer in
      var count = 0
      repeat {
        count = max(0, StrataSystem.read(feed.rawValue, buffer.baseAddress, buffer.count))
        Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &events)
      } while buffer.count - count < Self.eventSizeMax  // else the queue is empty
    }
    return events
  }

  func startThread(_ body: @escaping @Sendable () -> Void) -> Bool { Thread.start(body) }

  private static let eventSizeMax = MemoryLayout<inotify_event>.size + Int(NAME_MAX) + 1

  // Safety: an event is looked at only if it fits into the bytes, its name cut at their end.
  private static func parse(_ bytes: UnsafeRawBufferPointer, into events: inout [FileEvent]) {
    let header = MemoryLayout<inotify_event>.size
    var offset = 0
    while offset + header <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let end = min(offset + header + Int(event.len), bytes.count)
      let name = bytes[offset + header..<end].prefix { $0 != 0 }
      events.append(
        FileEvent(
          watch: event.wd, name: String(decoding: name, as: UTF8.self), kind: kind(of: event.mask)))
      offset = end
    }
  }
}
