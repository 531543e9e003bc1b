import Glibc

/// One file of a `FaultMachine`: what processes see, and what is on the disk.
final class FaultFile: @unchecked Sendable {
  static let capacity = 1 << 20

  let number: UInt64
  /// What every process sees, through calls and mappings alike: the page cache.
  let cached: UnsafeMutableRawPointer
  var size = 0
  /// What would be there after a power cut.
  var durable: [UInt8] = []
  var mode: UInt32
  var modified: Int64 = 0
  var changed: Int64 = 0

  init(number: UInt64, mode: UInt32) {
    self.number = number
    self.mode = mode
    cached = mmap(
      nil, Self.capacity, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
  }

  /// A file that holds `bytes`, on the disk too.
  convenience init(copying other: FaultFile, bytes: [UInt8]) {
    self.init(number: other.number, mode: other.mode)
    setContents(bytes)
    modified = other.modified
    changed = other.changed
  }

  /// Puts `contents` into the page cache and onto the disk at once.
  func setContents(_ contents: [UInt8]) {
    precondition(contents.count <= Self.capacity, "the file is larger than its mapping")
    UnsafeMutableRawBufferPointer(start: cached, count: Self.capacity).copyBytes(from: contents)
    if contents.count < size { memset(cached + contents.count, 0, size - contents.count) }
    size = contents.count
    durable = contents
  }

  /// What the kernel failed to write, by page, and takes for written as long as nobody changes it.
  private var taken: [Int: [UInt8]] = [:]

  private func pages(of range: Range<Int>) -> [Range<Int>] {
    let size = 4096
    return stride(
      from: range.lowerBound / size * size, to: min(range.upperBound, self.size), by: size
    )
    .map { $0..<min($0 + size, self.size) }
  }

  func synchronize(_ range: Range<Int>) {
    let bytes = self.bytes
    durable = Array(durable.prefix(size))
    for page in pages(of: range) {
      durable += [UInt8](repeating: 0, count: max(0, page.upperBound - durable.count))
      if taken[page.lowerBound] == Array(bytes[page]) { continue }
      durable.replaceSubrange(page, with: bytes[page])
    }
  }

  func failToSynchronize(_ range: Range<Int>) {
    let bytes = self.bytes
    for page in pages(of: range) where !durable.dropFirst(page.lowerBound).starts(with: bytes[page])
    {
      taken[page.lowerBound] = Array(bytes[page])
    }
  }

  deinit { munmap(cached, Self.capacity) }

  var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: cached, count: size)) }
}
