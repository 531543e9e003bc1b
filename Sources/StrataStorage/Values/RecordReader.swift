import StrataPropertyList

/// Reads change sets as `RecordWriter` wrote them; gives nil for any other bytes.
struct RecordReader {
  private static let reserveMax = 64

  // Safety: every access is checked against the buffer's end first.
  private let bytes: UnsafeRawBufferPointer
  /// Up to where they were read.
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// One edit; the bytes of its key are UTF-8.
  enum Edit {
    case removeAll
    case change(UnsafeBufferPointer<UInt8>, PropertyListValue?)
  }

  /// What an edit does, and to which key.
  enum Target {
    case all
    case removed(UnsafeBufferPointer<UInt8>)
    case set(UnsafeBufferPointer<UInt8>)
  }

  mutating func changes() -> ChangeSet? {
    var set = ChangeSet([])
    while !isAtEnd {
      switch next() {
      case nil: return nil
      case .removeAll: set.replacesAll = true
      case .change(let key, let value):
        set.changes.append(Change(key: String(ofBytes: key), value: value))
      }
    }
    return set
  }

  /// Whether there are edits up to the end.
  mutating func skip() -> Bool {
    while !isAtEnd { if nextTarget() == nil { return false } }
    return true
  }

  var isAtEnd: Bool { offset >= bytes.count }

  /// The edit that begins here; nil if there is none.
  mutating func next() -> Edit? {
    switch target() {
    case nil: nil
    case .all: .removeAll
    case .removed(let key): .change(key, nil)
    case .set(let key): value(depth: 0).map { .change(key, $0) }
    }
  }

  /// The same without the value of a set, which is looked through and not made.
  mutating func nextTarget() -> Target? {
    let found = target()
    if case .set = found, !skipValue(depth: 0) { return nil }
    return found
  }

  private mutating func target() -> Target? {
    let isFirst = offset == 0
    switch byte().flatMap(EditKind.init) {
    case nil: return nil
    case .removeAll: return isFirst ? .all : nil
    case .remove: return utf8().map { .removed($0) }
    case .set: return utf8().map { .set($0) }
    }
  }

  private mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func word<Word: FixedWidthInteger>(_: Word.Type) -> Word? {
    let size = MemoryLayout<Word>.size
    guard bytes.count - offset >= size else { return nil }
    defer { offset += size }
    return Word(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Word.self))
  }

  private mutating func count() -> Int? {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard let part = byte() else { return nil }
      result |= UInt64(part & 0x7F) << shift
      if part & 0x80 == 0 { return Int(exactly: result) }
    }
    return nil
  }

  private mutating func part() -> UnsafeRawBufferPointer? {
    guard let count = count(), count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  // Safety: the bytes are those of an array of bytes.
  private mutating func utf8() -> UnsafeBufferPointer<UInt8>? {
    guard let part = part() else { return nil }
    let bytes = part.assumingMemoryBound(to: UInt8.self)
    if part.isASCII { return bytes }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return bytes
    } catch {
      return nil
    }
  }

  private mutating func text() -> String? { utf8().map { String(ofBytes: $0) } }

  private mutating func value(depth: Int) -> PropertyListValue? {
    guard let tag = byte().flatMap(ValueTag.init) else { return nil }
    switch tag {
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .integer: return word(Int64.self).map { .integer($0) }
    case .unsigned: return word(UInt64.self).map { .unsigned($0) }
    case .real: return word(UInt64.self).map { .real(Double(bitPattern: $0)) }
    case .single: return word(UInt32.self).map { .single(Float(bitPattern: $0)) }
    case .uid: return word(UInt64.self).map { .uid($0) }
    case .date:
      return word(UInt64.self).map {
        .date(PropertyListDate(secondsSinceReference: Double(bitPattern: $0)))
      }
    case .string: return text().map { .string($0) }
    case .data: return part().map { .data([UInt8]($0)) }
    case .array: return depth < Limits.depthMax ? array(depth: depth + 1) : nil
    case .dictionary: return depth < Limits.depthMax ? dictionary(depth: depth + 1) : nil
    }
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count - offset else { return false }
    offset += count
    return true
  }

  private mutating func skipValue(depth: Int) -> Bool {
    switch byte().flatMap(ValueTag.init) {
    case nil: return false
    case .false, .true: return true
    case .single: return skip(4)
    case .integer, .unsigned, .real, .date, .uid: return skip(8)
    case .string: return utf8() != nil
    case .data: return part() != nil
    case .array: return skipItems(depth: depth + 1, haveKeys: false)
    case .dictionary: return skipItems(depth: depth + 1, haveKeys: true)
    }
  }

  private mutating func skipItems(depth: Int, haveKeys: Bool) -> Bool {
    guard depth <= Limits.depthMax, let count = count(), count <= bytes.count - offset else {
      return false
    }
    for _ in 0..<count {
      if haveKeys, utf8() == nil { return false }
      if !skipValue(depth: depth) { return false }
    }
    return true
  }

  private mutating func array(depth: Int) -> PropertyListValue? {
    guard let count = count(), count <= bytes.count - offset else { return nil }
    var items: [PropertyListValue] = []
    // Without this limit, nested arrays would each reserve memory for all the bytes that are left.
    items.reserveCapacity(min(count, Self.reserveMax))
    for _ in 0..<count {
      guard let item = value(depth: depth) else { return nil }
      items.append(item)
    }
    return .array(items)
  }

  private mutating func dictionary(depth: Int) -> PropertyListValue? {
    guard let count = count(), count <= bytes.count - offset else { return nil }
    var items: [String: PropertyListValue] = [:]
    for _ in 0..<count {
      guard let key = text(), let item = value(depth: depth) else { return nil }
      items[key] = item
    }
    return .dictionary(items)
  }
}
