import Testing

@testable import StrataStorage

/// Texts of bytes.
@Suite struct SystemTextTests {
  @Test func `bytes are the same text as Swift makes of them, whatever they are`() {
    var random = SystemRandomNumberGenerator()
    let parts: [[UInt8]] = [
      Array("a".utf8), Array("ä".utf8), Array("€".utf8), Array("🙂".utf8), [0xFF], [0xC3],
      [0xE2, 0x82],
      [0xF0, 0x9F], [0x80], [0xED, 0xA0, 0x80],
    ]
    for size in 0..<64 {
      for _ in 0..<50 {
        let bytes = (0..<size).flatMap { _ in parts.randomElement(using: &random) ?? [] }
        let text = bytes.withUnsafeBufferPointer { String(ofBytes: $0) }
        #expect(Array(text.utf8) == Array(String(decoding: bytes, as: UTF8.self).utf8), "\(bytes)")
      }
    }
    #expect("plain".withCString { String(ofText: $0) } == "plain")
    #expect("".withCString { String(ofText: $0) } == "")
  }
}
