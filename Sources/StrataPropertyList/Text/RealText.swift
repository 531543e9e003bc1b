/// Formats reals like C's `%.17g`: with the given number of significant digits of the exact value,
/// rounded half to even, without trailing zeros, and with a decimal point in every locale.
package enum RealText {
  /// The text of a finite real, as in XML property lists.
  static func text(of value: Double) -> String {
    value == 0 ? "0.0" : text(of: value, digits: 17)
  }

  /// The text of any real with at most `digitCount` significant digits.
  package static func text(of value: Double, digits digitCount: Int) -> String {
    if value.isNaN { return "nan" }
    let sign = value.sign == .minus ? "-" : ""
    if value.isInfinite { return sign + "inf" }
    if value == 0 { return sign + "0" }
    var (digits, exponent) = exactDigits(of: value.magnitude)
    round(&digits, &exponent, to: digitCount)
    while digits.count > 1, digits.last == 0 { digits.removeLast() }
    if exponent < -4 || exponent >= digitCount { return sign + scientific(digits, exponent) }
    return sign + fixed(digits, exponent)
  }

  /// All decimal digits of a positive real, and the power of ten of the first one.
  private static func exactDigits(of value: Double) -> (digits: [UInt8], exponent: Int) {
    let isNormal = value.exponentBitPattern != 0
    let significand = value.significandBitPattern | (isNormal ? 1 << 52 : 0)
    let power = max(1, Int(value.exponentBitPattern)) - 1075
    let trailing = min(significand.trailingZeroBitCount, power < 0 ? -power : 0)
    var number = BigNumber(significand >> UInt64(trailing))
    let halvings = power < 0 ? -power - trailing : 0
    for _ in 0..<max(0, power) { number.multiply(by: 2) }
    // m / 2^n is m * 5^n / 10^n, so its digits are those of the integer m * 5^n.
    for _ in 0..<halvings { number.multiply(by: 5) }
    let digits = number.decimalDigits()
    return (digits, digits.count - 1 - halvings)
  }

  private static func round(
    _ digits: inout [UInt8], _ exponent: inout Int, to digitCount: Int
  ) {
    guard digits.count > digitCount else { return }
    let rest = digits[digitCount...]
    let isTie = rest.first == 5 && rest.dropFirst().allSatisfy { $0 == 0 }
    let isOdd = digits[digitCount - 1] % 2 == 1
    let roundsUp = isTie ? isOdd : digits[digitCount] >= 5
    digits.removeSubrange(digitCount...)
    guard roundsUp else { return }
    var place = digitCount - 1
    while place >= 0, digits[place] == 9 {
      digits[place] = 0
      place -= 1
    }
    if place >= 0 {
      digits[place] += 1
    } else {
      digits = [1]
      exponent += 1
    }
  }

  private static func fixed(_ digits: [UInt8], _ exponent: Int) -> String {
    let text = text(digits)
    if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + text }
    if digits.count <= exponent + 1 {
      return text + String(repeating: "0", count: exponent + 1 - digits.count)
    }
    return text.prefix(exponent + 1) + "." + text.dropFirst(exponent + 1)
  }

  private static func scientific(_ digits: [UInt8], _ exponent: Int) -> String {
    let text = text(digits)
    let fraction = digits.count > 1 ? "." + text.dropFirst() : ""
    let power = String(exponent.magnitude)
    let padding = power.count < 2 ? "0" : ""
    return text.prefix(1) + fraction + (exponent < 0 ? "e-" : "e+") + padding + power
  }

  private static func text(_ digits: [UInt8]) -> String {
    String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
  }
}

/// An unsigned integer of any size, in 32-bit words, least significant first.
private struct BigNumber {
  private var words: [UInt32]

  init(_ value: UInt64) {
    words = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
  }

  mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for place in words.indices {
      let product = UInt64(words[place]) * factor + carry
      words[place] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry > 0 { words.append(UInt32(carry)) }
  }

  /// The digits without leading zeros.
  func decimalDigits() -> [UInt8] {
    var rest = self
    var digits: [UInt8] = []
    while !rest.words.isEmpty {
      var group = rest.divide(by: 1_000_000_000)
      for _ in 0..<9 {
        digits.append(UInt8(group % 10))
        group /= 10
      }
    }
    while digits.last == 0 { digits.removeLast() }
    return digits.reversed()
  }

  private mutating func divide(by divisor: UInt64) -> UInt64 {
    var remainder: UInt64 = 0
    for place in words.indices.reversed() {
      let dividend = remainder << 32 | UInt64(words[place])
      words[place] = UInt32(dividend / divisor)
      remainder = dividend % divisor
    }
    while words.last == 0 { words.removeLast() }
    return remainder
  }
}
