/// One call that a hostile server answers.
struct HostileStream {
  /// 1 for the first of a connection.
  let number: UInt32
  private let connection: HostileConnection

  init(_ number: UInt32, of connection: HostileConnection) {
    self.number = number
    self.connection = connection
  }

  private static let endsHeaders: UInt8 = 4
  private static let endsStream: UInt8 = 1

  func headers() throws {
    try connection.send(.headers, Self.endsHeaders, number, Self.head[...])
  }

  /// `:status: 200` and `content-type: application/grpc`, in HPACK.
  private static let head: [UInt8] = [0x88] + literal("content-type", "application/grpc")

  private static func literal(_ name: String, _ value: String) -> [UInt8] {
    [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8
  }

  func message(_ bytes: [UInt8]) throws {
    try data(UInt32(bytes.count), bytes)
  }

  /// - Parameter count: how long the message is said to be.
  func data(_ count: UInt32, _ bytes: [UInt8]) throws {
    try connection.sendData(number, [0] + count.bigEndianBytes)
    try connection.sendData(number, bytes[...])
  }

  /// Bytes of a message that has begun.
  func more(_ bytes: [UInt8]) throws { try connection.sendData(number, bytes[...]) }

  func trailers(_ code: Int, _ text: String, isFirst: Bool = false) throws {
    let end = Self.literal("grpc-status", "\(code)") + Self.literal("grpc-message", text)
    try connection.send(
      .headers, Self.endsHeaders | Self.endsStream, number,
      ((isFirst ? Self.head : []) + end)[...])
  }

  func goAway() throws {
    // The last stream that counts, and the error: enhance your calm.
    try connection.send(.goAway, 0, 0, (UInt32(0).bigEndianBytes + UInt32(11).bigEndianBytes)[...])
  }

  /// An answer to one request, as it should be.
  func answer(_ bytes: [UInt8]) throws {
    try headers()
    try message(bytes)
    try trailers(0, "")
  }
}
