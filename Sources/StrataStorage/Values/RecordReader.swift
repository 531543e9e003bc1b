import StrataPropertyList

/// Reads change sets as `RecordWriter` wrote them; gives nil for any other bytes.
struct RecordReader {
  private static let reserveMax = 64

  // Safety: every access is checked against the buffer's end first.
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func changes() -> ChangeSet? {
    var set = ChangeSet([])
    while offset < bytes.count {
      guard let kind = byte().flatMap(EditKind.init) else { return nil }
      switch kind {
      case .removeAll:
        guard set.isEmpty else { return nil }
        set.replacesAll = true
      case .remove:
        guard let key = text() else { return nil }
        set.changes.append(Change(key: key, value: nil))
      case .set:
        guard let key = text(), let value = value(depth: 0) else { return nil }
        set.changes.append(Change(key: key, value: value))
      }
    }
    return set
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

  private mutating func text() -> String? {
    guard let part = part() else { return nil }
    return String(validating: part, as: UTF8.self)
  }

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
