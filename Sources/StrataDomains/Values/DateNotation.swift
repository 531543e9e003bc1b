package import StrataPropertyList

/// Parses dates in ISO 8601 and in the format in which they are printed.
///
/// `2020-01-01`, `2020-01-01T12:30Z`, `2020-01-01T12:30:15.5+02:00`, `2020-01-01 12:30:15 +0200`. A
/// time without a zone is in UTC, so that a script means the same everywhere.
package enum DateNotation {
  package static func date(_ text: String) -> PropertyListDate? {
    let bytes = Array(text.utf8)
    // Not split at hyphens: a negative year begins with one.
    guard let dayEnd = bytes.firstIndex(where: { [0x54, 0x74, 0x20].contains($0) }) else {
      return PropertyListDate(text: text + " 00:00:00 +0000")
    }
    let day = String(decoding: bytes[..<dayEnd], as: UTF8.self)
    var rest = bytes[(dayEnd + 1)...]
    guard let zone = takeZone(&rest) else { return nil }
    let isWhole = !rest.contains(UInt8(ascii: "."))
    guard let fraction = takeFraction(&rest) else { return nil }
    let time = String(decoding: rest, as: UTF8.self)
    let seconds = time.utf8.count { $0 == UInt8(ascii: ":") } == 1 ? ":00" : ""
    // The fraction is one of seconds, not of minutes.
    guard isWhole || seconds.isEmpty,
      let whole = PropertyListDate(text: "\(day) \(time)\(seconds) \(zone)")
    else { return nil }
    let date = PropertyListDate(secondsSinceReference: whole.secondsSinceReference + fraction)
    return date.text == nil ? nil : date
  }

  /// Takes `Z`, `+02`, `+0200`, `+02:00` or nothing from the end, and returns it as `+0200`.
  private static func takeZone(_ text: inout ArraySlice<UInt8>) -> String? {
    if let last = text.last, last | 0x20 == UInt8(ascii: "z") {
      text.removeLast()
      return "+0000"
    }
    guard let sign = text.lastIndex(where: { [0x2B, 0x2D].contains($0) }) else { return "+0000" }
    let digits = text[(sign + 1)...].filter { $0 != UInt8(ascii: ":") }
    let isEast = text[sign] == UInt8(ascii: "+")
    text = text[..<sign]
    while text.last == UInt8(ascii: " ") { text.removeLast() }
    guard [2, 4].contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let zone = String(decoding: digits, as: UTF8.self)
    return (isEast ? "+" : "-") + zone + (digits.count == 2 ? "00" : "")
  }

  /// Takes `.5` or nothing from the end.
  private static func takeFraction(_ text: inout ArraySlice<UInt8>) -> Double? {
    guard let point = text.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
    let fraction = Double("0" + String(decoding: text[point...], as: UTF8.self))
    let isNumber = text[(point + 1)...].allSatisfy { (0x30...0x39).contains($0) }
    text = text[..<point]
    return isNumber ? fraction : nil
  }
}
