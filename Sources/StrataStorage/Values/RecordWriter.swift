import StrataPropertyList

/// Writes change sets as the journal stores them.
///
/// An edit is its kind, the key and, for a set, the value: a tag and its bytes, with little-endian
/// numbers and counts as variable-length integers. The `size` functions say in advance how many
/// bytes the `put` functions will write.
struct RecordWriter {
  // Safety: whoever makes a writer provides the room that the `size` functions below ask for.
  private(set) var end: UnsafeMutableRawPointer

  init(at start: UnsafeMutableRawPointer) { end = start }

  static func size(of change: Change) -> Int {
    size(key: change.key, value: change.value)
  }

  static func size(key: String, value: PropertyListValue?) -> Int {
    1 + size(key) + (value.map { size($0) } ?? 0)
  }

  static func size(of changes: ChangeSet) -> Int {
    changes.changes.reduce(changes.replacesAll ? 1 : 0) { $0 + size(of: $1) }
  }

  mutating func put(_ changes: ChangeSet) {
    if changes.replacesAll { put(EditKind.removeAll.rawValue) }
    for change in changes.changes {
      var key = change.key
      key.withUTF8 { put(key: $0, value: change.value) }
    }
  }

  // Safety: the key's bytes are read during the call only.
  mutating func put(key: UnsafeBufferPointer<UInt8>, value: PropertyListValue?) {
    put(value == nil ? EditKind.remove.rawValue : EditKind.set.rawValue)
    put(UnsafeRawBufferPointer(key))
    if let value { put(value) }
  }

  private mutating func put(_ byte: UInt8) {
    end.storeBytes(of: byte, as: UInt8.self)
    end += 1
  }

  private mutating func put<Word: FixedWidthInteger>(word: Word) {
    end.storeBytes(of: word.littleEndian, as: Word.self)
    end += MemoryLayout<Word>.size
  }

  private mutating func put(count: Int) {
    var rest = UInt64(count)
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(rest))
  }

  private mutating func put(_ bytes: UnsafeRawBufferPointer) {
    put(count: bytes.count)
    if let start = bytes.baseAddress { end.copyMemory(from: start, byteCount: bytes.count) }
    end += bytes.count
  }

  private mutating func put(_ text: String) {
    var text = text
    text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
  }

  private mutating func put(tag: ValueTag) { put(tag.rawValue) }

  private mutating func put(_ value: PropertyListValue) {
    switch value {
    case .boolean(let flag): put(tag: flag ? .true : .false)
    case .integer(let number): put(tag: .integer); put(word: number)
    case .unsigned(let number): put(tag: .unsigned); put(word: number)
    case .real(let number): put(tag: .real); put(word: number.bitPattern)
    case .single(let number): put(tag: .single); put(word: number.bitPattern)
    case .date(let date): put(tag: .date); put(word: date.secondsSinceReference.bitPattern)
    case .uid(let number): put(tag: .uid); put(word: number)
    case .string(let text): put(tag: .string); put(text)
    case .data(let bytes): put(tag: .data); bytes.withUnsafeBytes { put($0) }
    case .array(let items):
      put(tag: .array)
      put(count: items.count)
      for item in items { put(item) }
    case .dictionary(let items):
      put(tag: .dictionary)
      put(count: items.count)
      for (key, item) in items { put(key); put(item) }
    }
  }

  private static func size(count: Int) -> Int {
    count < 0x80 ? 1 : (64 - UInt64(count).leadingZeroBitCount + 6) / 7
  }

  private static func size(_ text: String) -> Int {
    let count = text.utf8.count
    return size(count: count) + count
  }

  static func size(_ value: PropertyListValue) -> Int {
    switch value {
    case .boolean: 1
    case .single: 5
    case .integer, .unsigned, .real, .date, .uid: 9
    case .string(let text): 1 + size(text)
    case .data(let bytes): 1 + size(count: bytes.count) + bytes.count
    case .array(let items):
      items.reduce(1 + size(count: items.count)) { $0 + size($1) }
    case .dictionary(let items):
      items.reduce(1 + size(count: items.count)) { $0 + size($1.key) + size($1.value) }
    }
  }
}

/// What an edit in a record does.
enum EditKind: UInt8 {
  case set = 1
  case remove = 2
  case removeAll = 3
}

/// The type of a value in a record.
enum ValueTag: UInt8 {
  case `false` = 1
  case `true` = 2
  case integer, unsigned, real, single, date, uid, string, data, array, dictionary
}
