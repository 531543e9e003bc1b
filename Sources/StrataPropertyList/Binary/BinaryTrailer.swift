/// The last 32 bytes of a binary property list: where its objects are, and which is the top one.
package struct BinaryTrailer: Sendable {
  package static let size = 32
  package static let headerSize = 8
  /// What each file begins with. Not a constant: the runtime would have to make the array's type in
  /// each process that only reads.
  package static var header: [UInt8] { Array("bplist00".utf8) }

  /// Whether a file begins like that.
  package static func isHeader(of file: ByteView) -> Bool {
    file.bigEndian(at: 0, width: headerSize) == 0x6270_6C69_7374_3030
  }

  package let offsetSize: Int
  package let referenceSize: Int
  package let objectCount: Int
  package let topObject: Int
  package let tableOffset: Int

  /// Reads the trailer at the end of a whole file; nil if its table does not lie within the file.
  package init?(_ file: ByteView) { self.init(endOf: file, size: file.count) }

  /// Reads the trailer at the end of `view`, where a file of this size ends.
  package init?(endOf view: ByteView, size: Int) {
    let start = view.count - Self.size
    let limit = size - Self.size
    guard
      limit > Self.headerSize,
      let offsetSize = view.byte(at: start + 6), (1...8).contains(offsetSize),
      let referenceSize = view.byte(at: start + 7), (1...8).contains(referenceSize),
      let objectCount = Self.number(view, at: start + 8, max: limit), objectCount > 0,
      let topObject = Self.number(view, at: start + 16, max: objectCount - 1),
      let tableOffset = Self.number(view, at: start + 24, max: limit),
      tableOffset > Self.headerSize,
      objectCount <= (limit - tableOffset) / Int(offsetSize)
    else { return nil }
    self.offsetSize = Int(offsetSize)
    self.referenceSize = Int(referenceSize)
    self.objectCount = objectCount
    self.topObject = topObject
    self.tableOffset = tableOffset
  }

  private static func number(_ view: ByteView, at offset: Int, max: Int) -> Int? {
    view.bigEndian(at: offset, width: 8).flatMap { $0 <= UInt64(max) ? Int($0) : nil }
  }
}
