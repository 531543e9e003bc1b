package import StrataPropertyList

/// Makes values of every type, with the corner cases of each more often than chance would.
package struct ValueGenerator {
  /// What a notation or another program cannot say is left out of the values.
  package struct Limits: Sendable {
    package var hasUIDs = true
    package var hasSingles = true
    package var hasUnsigned = true
    package var hasControlCharacters = true
    package var hasFractionsOfSeconds = true
    package var hasNonFiniteReals = true
    package var hasNegativeZero = true
    package var hasByteOrderMarks = true
    package var dates: ClosedRange<Double> = -60_000_000_000...250_000_000_000

    package init() {}
  }

  package var random: SeededGenerator
  package var limits: Limits

  package init(seed: UInt64, limits: Limits = Limits()) {
    random = SeededGenerator(seed: seed)
    self.limits = limits
  }

  package mutating func value(depth: Int = 3) -> PropertyListValue {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 10), using: &random) {
    case 0: return .boolean(.random(using: &random))
    case 1, 2: return .integer(integer())
    case 3: return limits.hasUnsigned ? .unsigned(unsigned()) : .integer(integer())
    case 4: return .real(real())
    case 5: return limits.hasSingles ? .single(single()) : .real(real())
    case 6: return .date(date())
    case 7: return .data(data())
    case 8:
      return limits.hasUIDs ? .uid(UInt64.random(in: 0...0xFFFF_FFFF, using: &random)) : .string("")
    case 9: return .string(string())
    case 10: return .array((0..<length()).map { _ in value(depth: depth - 1) })
    default: return .dictionary(dictionary(depth: depth - 1))
    }
  }

  package mutating func dictionary(depth: Int = 3) -> [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [:]
    for _ in 0..<length() { entries[string()] = value(depth: depth) }
    return entries
  }

  /// Entries with `count` distinct keys.
  package mutating func entries(
    _ count: Int
  ) -> [(key: String, value: PropertyListValue)] {
    var entries: [String: PropertyListValue] = [:]
    while entries.count < count {
      entries["\(string())\(entries.count)"] = value(depth: random.oneIn(4) ? 2 : 0)
    }
    return entries.map { ($0.key, $0.value) }
  }

  private mutating func length() -> Int {
    random.oneIn(8)
      ? Int.random(in: 14...40, using: &random) : Int.random(in: 0...4, using: &random)
  }

  private mutating func integer() -> Int64 {
    let edges: [Int64] = [
      0, 1, -1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7FFF_FFFF, 0x8000_0000,
      0xFFFF_FFFF, 0x1_0000_0000, .max, .min,
    ]
    if random.oneIn(2) { return edges.randomElement(using: &random) ?? 0 }
    return Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
  }

  private mutating func unsigned() -> UInt64 {
    if random.oneIn(3) { return .max }
    return UInt64.random(in: (1 << 63)...UInt64.max, using: &random)
  }

  private mutating func real() -> Double {
    let edges = [
      0, -0.0, 0.1, 1, -1, 1.5, 1e21, 1e22, 1e-7, 123456789.125, .pi, .leastNonzeroMagnitude,
      .greatestFiniteMagnitude, .leastNormalMagnitude, 9_007_199_254_740_992,
    ]
    if random.oneIn(2) {
      let edge = edges.randomElement(using: &random) ?? 0
      return edge == 0 && !limits.hasNegativeZero ? 0 : edge
    }
    let any = Double(bitPattern: random.next())
    if any.isFinite || limits.hasNonFiniteReals { return any.isNaN ? .nan : any }
    return 2.5
  }

  private mutating func single() -> Float {
    let any = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
    return any.isFinite ? any : 0.1
  }

  private mutating func date() -> PropertyListDate {
    let seconds = Double.random(in: limits.dates, using: &random)
    return PropertyListDate(
      secondsSinceReference: limits.hasFractionsOfSeconds ? seconds : seconds.rounded())
  }

  private mutating func data() -> [UInt8] {
    let count = random.oneIn(4) ? Int.random(in: 0...300, using: &random) : length()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  package mutating func string() -> String {
    let alphabets = [
      "abcdefghijklmnopqrstuvwxyz", "ABCxyz019_$/:.-", " &<>\"'\t\n]]>=;{}(),\\", "äöüßéñ",
      "日本語テキスト", "🙂👩‍👩‍👧🇨🇭𝒳", "e\u{301}\u{212A}\u{37E}Å", "\u{FEFF}\u{E000}\u{FFFD}\u{10FFFD}",
    ]
    let alphabet = random.oneIn(2) ? alphabets[0] : alphabets.randomElement(using: &random) ?? ""
    let characters = Array(alphabet.unicodeScalars)
    var string = ""
    for _ in 0..<length() {
      guard let scalar = characters.randomElement(using: &random) else { continue }
      if scalar == "\u{FEFF}", !limits.hasByteOrderMarks { continue }
      string.unicodeScalars.append(scalar)
    }
    if limits.hasControlCharacters, random.oneIn(20) { string += "\u{0}\u{1}\r\u{7F}\u{85}" }
    return string
  }
}
