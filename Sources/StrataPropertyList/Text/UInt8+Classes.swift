/// The classes of ASCII characters that text formats distinguish.
extension UInt8 {
  var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// The value of a hexadecimal digit.
  var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }

  /// The lowercase hexadecimal digit for the low four bits.
  static func hexDigit(_ value: UInt8) -> UInt8 {
    let value = value & 0xF
    return value < 10 ? 0x30 + value : 0x61 + value - 10
  }
}
