import CStrata
import StrataSystem

/// Reading, writing, mapping and making durable.
extension SystemFileSystem {
  // Safety: each part is read to where the last one ended, and may be as long as what is left.
  func read(
    _ file: FileID, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    // To make millions of bytes in small pages takes longer than to read them.
    if buffer.count >= Self.largePage { strata_prefer_large_pages(base, buffer.count) }
    var filled = 0
    while filled < buffer.count {
      let part = pread(file.rawValue, base + filled, buffer.count - filled, offset + filled)
      if part > 0 { filled += part }
      if part == 0 { break }
      if part < 0 && errno != EINTR { throw failure(.read, file) }
    }
    return filled
  }

  /// The bytes of a file that may be in other hands than those of its user, and may grow while it
  /// is read: as many as there are, up to `count`.
  package func bytes(of path: String, atMost count: Int) throws(StorageError) -> [UInt8] {
    let file = try openAny(path)
    defer { close(file) }
    var bytes: [UInt8] = []
    while bytes.count < count {
      let part = try read(file, at: bytes.count, count: min(1 << 16, count - bytes.count))
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }

  private static let largePage = 1 << 21

  /// The first line of a small file that is read once, such as the kernel's, whatever it is: up to
  /// a space or a control character, and to `count` bytes.
  ///
  /// Without an array of bytes, whose type the runtime would have to make.
  package func firstLine(of path: String, atMost count: Int) throws(StorageError) -> String {
    let file = try openAny(path)
    defer { close(file) }
    // Safety: no more is read than has room, or decoded than was read.
    let (text, code) = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
      var filled = 0
      while filled < count, let base = buffer.baseAddress {
        let part = pread(file.rawValue, base + filled, count - filled, filled)
        if part < 0 && errno == EINTR { continue }
        if part < 0 { return ("", errno) }
        if part == 0 { break }
        filled += part
      }
      let end = (0..<filled).first { buffer[$0] <= UInt8(ascii: " ") } ?? filled
      let line = UnsafeBufferPointer(rebasing: buffer[..<end])
      return (String(ofBytes: line), 0)
    }
    guard code == 0 else { throw failure(.read, file, code: code) }
    return text
  }

  func write(
    _ bytes: UnsafeRawBufferPointer, to file: FileID, at offset: Int
  ) throws(StorageError) {
    try refusePastLimit(file, offset + bytes.count)
    var done = 0
    while done < bytes.count {
      let part = pwrite(
        file.rawValue, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset + done)
      if part > 0 {
        done += part
      } else if part == 0 {
        throw failure(.write, file, code: EIO)
      } else if errno != EINTR {
        throw failure(.write, file)
      }
    }
  }

  private static let pageSize = 1 << 12

  func allocate(_ file: FileID, _ range: Range<Int>) throws(StorageError) {
    try refusePastLimit(file, range.upperBound)
    let code = posix_fallocate(file.rawValue, range.lowerBound, range.count)
    // If a filter of system calls, or the kernel, refuses the call, the zeros must do: they get
    // their place when they are written.
    guard code == 0 || [EPERM, ENOSYS, EOPNOTSUPP].contains(code) else {
      throw failure(.allocate, file, code: code)
    }
    // Write zeros rather than only allocate: otherwise the first sync of each page would have to
    // turn an unwritten extent into a written one, which costs half as much again. And write page
    // by page, since the page cache keeps and syncs together what is written at once.
    let zeros = [UInt8](repeating: 0, count: min(range.count, Self.pageSize))
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(zeros.count, range.upperBound - offset)
      try write(zeros, count: count, to: file, at: offset)
      offset += count
    }
  }

  func extend(
    _ file: FileID, from known: Int, to size: Int, inPiecesOf piece: Int
  ) throws(StorageError) {
    try refusePastLimit(file, size)
    guard strata_extend(file.rawValue, Int64(known), Int64(size), Int64(piece)) == 0 else {
      throw failure(.allocate, file)
    }
  }

  /// Empties the file.
  func truncate(_ file: FileID) throws(StorageError) {
    guard ftruncate(file.rawValue, 0) == 0 else { throw failure(.write, file) }
  }

  private func write(
    _ bytes: [UInt8], count: Int, to file: FileID, at offset: Int
  ) throws(StorageError) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(StorageError) in
        try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file, at: offset)
      }
    }
    try result.get()
  }

  /// A write past the process's file size limit would raise a signal; throws an error instead.
  private func refusePastLimit(_ file: FileID, _ end: Int) throws(StorageError) {
    if strata_file_size_max() < UInt64(end) { throw failure(.write, file, code: EFBIG) }
  }

  package func synchronize(_ file: FileID) throws(StorageError) {
    guard fdatasync(file.rawValue) == 0 else { throw failure(.synchronize, file) }
  }

  // Safety: the range lies within the mapping; the kernel reads whole pages of it.
  func synchronize(
    _ mapping: Mapping, of file: FileID, _ range: Range<Int>
  ) throws(StorageError) {
    let start = range.lowerBound & -Int(getpagesize())
    guard msync(mapping.base + start, range.upperBound - start, MS_SYNC) == 0 else {
      throw failure(.synchronize, file)
    }
  }

  @inline(never)
  package func synchronizeDirectory(_ path: String) throws(StorageError) {
    let descriptor = try openToList(path, .synchronize)
    defer { _ = StrataSystem.close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(.synchronize, path) }
  }

  func map(_ file: FileID, count: Int, writable: Bool) throws(StorageError) -> Mapping {
    let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
    // MAP_FAILED, which is no constant in Swift: see SystemValues.swift.
    guard let base = mmap(nil, count, protection, MAP_SHARED, file.rawValue, 0),
      Int(bitPattern: base) != -1
    else { throw failure(.map, file) }
    // Safety: the guard's record lives for ever, and is released before the addresses are.
    nonisolated(unsafe) let address = base
    guard let new = strata_mapping_guard(base, count) else {
      munmap(base, count)
      throw failure(.map, file)
    }
    nonisolated(unsafe) let record = new
    return Mapping(
      base: base, count: count, record: record,
      release: {
        strata_mapping_release(record)
        munmap(address, count)
      })
  }
}
