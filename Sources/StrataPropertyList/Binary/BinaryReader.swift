/// Reads objects of a binary property list, which a table of offsets locates.
///
/// A reader enforces `PropertyListLimits`: it counts down what it may still decode, and keeps the
/// path of arrays and dictionaries that it is inside.
package struct BinaryReader {
  let objects: ByteView
  let offsets: BinaryOffsets
  let referenceSize: Int
  var objectsLeft: Int
  /// The number of references in open containers whose objects have not been read. They count as
  /// spent, so that memory is only reserved for what may be read.
  var objectsPending = 0
  var bytesLeft: Int
  /// The containers that it is inside, without the `depth` around them all.
  var path: [Int] = []
  let depth: Int

  /// A reader of the objects in `objects`, which must end before any table of offsets.
  ///
  /// `depth` is the number of containers around what will be read.
  package init(objects: ByteView, offsets: BinaryOffsets, referenceSize: Int, depth: Int = 0) {
    self.objects = objects
    self.offsets = offsets
    self.referenceSize = referenceSize
    objectsLeft = PropertyListLimits.expandedObjects(fileObjects: offsets.count)
    bytesLeft = PropertyListLimits.expandedBytes(fileBytes: objects.count)
    self.depth = depth
  }

  /// A reader of a whole file.
  package init(_ view: ByteView, _ trailer: BinaryTrailer, depth: Int = 0) {
    self.init(
      objects: view.prefix(trailer.tableOffset), offsets: BinaryOffsets(view, trailer),
      referenceSize: trailer.referenceSize, depth: depth)
  }

  /// The value of an object, with everything that it contains.
  package mutating func value(
    ofObject number: Int
  ) throws(PropertyListError) -> PropertyListValue {
    let header = try header(ofObject: number)
    try spendObject(at: header.offset)
    switch header.type {
    case 0xA: return try .array(array(header, number))
    case 0xD: return try .dictionary(dictionary(header, number))
    default: return try scalar(header)
    }
  }

  /// Separate from `value(ofObject:)`, so that a level of nesting needs little stack.
  @inline(never)
  private mutating func scalar(
    _ header: BinaryObjectHeader
  ) throws(PropertyListError) -> PropertyListValue {
    switch header.type {
    case 0x0: return try .boolean(boolean(header))
    case 0x1: return try integer(header)
    case 0x2: return try real(header)
    case 0x3: return try .date(date(header))
    case 0x4: return try .data(data(header))
    case 0x5: return try .string(asciiString(header))
    case 0x6: return try .string(utf16String(header))
    case 0x8: return try .uid(uid(header))
    default: throw unsupported(header)
    }
  }

  /// The string of an object that is a dictionary's key.
  package mutating func key(ofObject number: Int) throws(PropertyListError) -> String {
    let header = try header(ofObject: number)
    try spendObject(at: header.offset)
    switch header.type {
    case 0x5: return try asciiString(header)
    case 0x6: return try utf16String(header)
    default:
      throw .at(
        header.offset, .keyNotString,
        "a dictionary key is not a string; use string keys")
    }
  }

  func offset(ofObject number: Int) throws(PropertyListError) -> Int {
    guard
      let offset = offsets.offset(ofObject: number),
      offset >= BinaryTrailer.headerSize, offset < objects.count
    else {
      throw .at(
        0, .malformed, "object \(number) is outside the file; restore the file from a backup")
    }
    return offset
  }

  private mutating func spendObject(at offset: Int) throws(PropertyListError) {
    objectsLeft -= 1
    guard objectsLeft >= 0 else { throw expandsTooFar(at: offset) }
  }

  @inline(never)
  func expandsTooFar(at offset: Int) -> PropertyListError {
    .at(
      offset, .expandsTooFar,
      "shared objects expand to far more than the file size; store them without sharing")
  }

  private func unsupported(_ header: BinaryObjectHeader) -> PropertyListError {
    .at(
      header.offset, .unsupported,
      "object type 0x\(String(header.type, radix: 16)) has no property-list form; remove it")
  }
}

extension BinaryReader {
  package func header(ofObject number: Int) throws(PropertyListError) -> BinaryObjectHeader {
    let offset = try offset(ofObject: number)
    guard let header = BinaryObjectHeader(objects, at: offset) else {
      throw .truncated(at: offset)
    }
    return header
  }

  /// The characters of a key in place.
  ///
  /// Safety: they are valid as long as the reader's bytes; callers compare or copy them at once.
  package func text(of header: BinaryObjectHeader) -> BinaryText? {
    BinaryText(of: header, in: objects)
  }

  /// The header of the dictionary at the top of a file, if it lies within the file.
  package static func topDictionary(
    _ view: ByteView, _ trailer: BinaryTrailer
  ) -> BinaryObjectHeader? {
    let objects = view.prefix(trailer.tableOffset)
    guard
      let offset = BinaryOffsets(view, trailer).offset(ofObject: trailer.topObject),
      let header = BinaryObjectHeader(objects, at: offset), header.type == 0xD,
      let length = header.length(referenceSize: trailer.referenceSize),
      objects.slice(at: offset, length: length) != nil
    else { return nil }
    return header
  }
}
