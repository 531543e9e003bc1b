/// The two forms in which a certificate gives times.
extension DERReader {
  /// In seconds since 1970.
  mutating func time() -> Int64? {
    guard let element = next() else { return nil }
    var digits = element.content.map { Int64($0) - 0x30 }
    guard digits.popLast() == 0x5A - 0x30, digits.allSatisfy({ (0...9).contains($0) }) else {
      return nil
    }
    switch element.tag {
    case Kind.shortTime.rawValue where digits.count == 12:
      // Two digits mean a year from 1950 to 2049.
      digits = (digits[0] >= 5 ? [1, 9] : [2, 0]) + digits
    case Kind.longTime.rawValue where digits.count == 14: break
    default: return nil
    }
    let pairs = stride(from: 0, to: 14, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
    let days = Self.days(year: pairs[0] * 100 + pairs[1], month: pairs[2], day: pairs[3])
    return ((days * 24 + pairs[4]) * 60 + pairs[5]) * 60 + pairs[6]
  }

  /// From 1970 to a day of the Gregorian calendar.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Years begin in March, so that a leap day is a year's last.
    let year = month > 2 ? year : year - 1
    let month = month > 2 ? month - 3 : month + 9
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * month + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
