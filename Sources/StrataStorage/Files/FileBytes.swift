/// The bytes of a file, read whole.
///
/// Not an array, whose type the runtime has to make in each process: that alone takes as long as
/// all calls to the kernel that a first read makes.
final class FileBytes: @unchecked Sendable {
  // Safety: the memory is this object's own, is written before anybody else has the object, and is
  // given back when nobody has it any more.
  private let buffer: UnsafeMutableRawBufferPointer
  /// How much of the buffer was read.
  private(set) var count = 0

  /// - Throws: what `read` throws, which fills the buffer and says how far.
  init(
    room: Int, _ read: (UnsafeMutableRawBufferPointer) throws(StorageError) -> Int
  ) throws(StorageError) {
    buffer = .allocate(byteCount: room, alignment: MemoryLayout<Int>.alignment)
    count = try read(buffer)
  }

  init(_ bytes: [UInt8]) {
    buffer = .allocate(byteCount: bytes.count, alignment: MemoryLayout<Int>.alignment)
    buffer.copyBytes(from: bytes)
    count = bytes.count
  }

  deinit { buffer.deallocate() }

  // Safety: the bytes are lent for the call.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }

  /// A copy, for readers that take an array.
  var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
