import Glibc

/// The server's end of an HTTP/2 connection: as much of it as is needed to misbehave.
final class HostileConnection {
  enum Kind: UInt8 {
    case data = 0
    case headers = 1
    case settings = 4
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
  }

  private let file: Int32
  private let answer: HostileServer.Answer
  /// How many bytes the client takes at present.
  private var window = 65_535
  private var streamWindows: [UInt32: Int] = [:]
  private var initialStreamWindow = 65_535
  private var waiting: [UInt32] = []

  init(_ file: Int32, _ answer: @escaping HostileServer.Answer) {
    self.file = file
    self.answer = answer
  }

  deinit { close(file) }

  func run() {
    do {
      _ = try read(24)
      try send(.settings, 0, 0, [])
      while true {
        try takeFrame()
        while let stream = waiting.popLast() {
          try answer(HostileStream(stream, of: self))
        }
      }
    } catch {
      // The client has hung up, as it should.
    }
  }

  /// - Parameter bytes: of any number: waits until the client takes them.
  func sendData(_ stream: UInt32, _ bytes: ArraySlice<UInt8>) throws {
    var rest = bytes
    while !rest.isEmpty {
      let room = min(window, streamWindows[stream, default: initialStreamWindow], 16_384)
      guard room > 0 else {
        try takeFrame()
        continue
      }
      let part = rest.prefix(room)
      rest = rest.dropFirst(part.count)
      window -= part.count
      streamWindows[stream, default: initialStreamWindow] -= part.count
      try send(.data, 0, stream, part)
    }
  }

  func send(_ kind: Kind, _ flags: UInt8, _ stream: UInt32, _ bytes: ArraySlice<UInt8>) throws {
    let count = UInt32(bytes.count)
    let head: [UInt8] = [
      UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), kind.rawValue, flags,
    ]
    try write(head + stream.bigEndianBytes + bytes)
  }

  private func takeFrame() throws {
    let head = try read(9)
    let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    let stream = UInt32(bigEndianBytes: head[5...]) & 0x7FFF_FFFF
    let body = try read(count)
    let isAcknowledgment = head[4] & 1 != 0
    switch Kind(rawValue: head[3]) {
    case .data where count > 0: waiting.append(stream)
    case .settings where !isAcknowledgment:
      for start in stride(from: 0, to: body.count - 5, by: 6) where body[start + 1] == 4 {
        let size = Int(UInt32(bigEndianBytes: body[(start + 2)...]))
        for known in streamWindows.keys { streamWindows[known]? += size - initialStreamWindow }
        initialStreamWindow = size
      }
      try send(.settings, 1, 0, [])
    case .ping where !isAcknowledgment: try send(.ping, 1, 0, body[...])
    case .windowUpdate:
      let more = Int(UInt32(bigEndianBytes: body[...]))
      if stream == 0 {
        window += more
      } else {
        streamWindows[stream, default: initialStreamWindow] += more
      }
    default: break
    }
  }

  private func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var used = 0
    while used < count {
      // Safety: `recv` writes at most as many bytes as are left in the array.
      let more = bytes.withUnsafeMutableBytes {
        recv(file, $0.baseAddress! + used, count - used, 0)
      }
      guard more > 0 else { throw SocketError(code: errno) }
      used += more
    }
    return bytes
  }

  private func write(_ bytes: [UInt8]) throws {
    var used = 0
    while used < bytes.count {
      // Safety: `send` reads at most as many bytes as are left in the array.
      let more = bytes.withUnsafeBytes {
        Glibc.send(file, $0.baseAddress! + used, bytes.count - used, Int32(MSG_NOSIGNAL))
      }
      guard more > 0 else { throw SocketError(code: errno) }
      used += more
    }
  }
}

extension UInt32 {
  var bigEndianBytes: [UInt8] {
    [UInt8(self >> 24), UInt8(self >> 16 & 0xFF), UInt8(self >> 8 & 0xFF), UInt8(self & 0xFF)]
  }

  init(bigEndianBytes bytes: ArraySlice<UInt8>) {
    self = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
