/// Writes the fields of a message, in the order in which they are added.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ field: Int, _ value: Int64) {
    guard value != 0 else { return }
    tag(field, 0)
    varint(UInt64(bitPattern: value))
  }

  mutating func add(_ field: Int, _ flag: Bool) { add(field, flag ? 1 : 0) }

  mutating func add(_ field: Int, _ value: [UInt8]) {
    guard !value.isEmpty else { return }
    always(field, value)
  }

  mutating func add(_ field: Int, _ text: String) { add(field, Array(text.utf8)) }

  /// A message, which is there even if it is empty.
  mutating func add(_ field: Int, _ build: (inout ProtobufWriter) -> Void) {
    var message = ProtobufWriter()
    build(&message)
    always(field, message.bytes)
  }

  /// A number of a `oneof`, which is there even if it is 0.
  mutating func addChoice(_ field: Int, _ value: Int64) {
    tag(field, 0)
    varint(UInt64(bitPattern: value))
  }

  private mutating func always(_ field: Int, _ value: [UInt8]) {
    tag(field, 2)
    varint(UInt64(value.count))
    bytes += value
  }

  private mutating func tag(_ field: Int, _ kind: Int) { varint(UInt64(field << 3 | kind)) }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
