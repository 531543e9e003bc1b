/// Dates as text: `2001-02-03T04:05:06Z` in XML and JSON, `2001-02-03 04:05:06 +0000` in OpenStep.
struct DateText {
  private static let secondsPerDay = 86_400
  /// Days from 1970-01-01 to 2001-01-01.
  private static let referenceDay = 11_323
  /// Beyond about 300,000 years a date is a mistake, and its text of no use.
  private static let secondsMax = 1e13

  var year: Int
  var month: Int
  var day: Int
  var hour = 0
  var minute = 0
  var second = 0

  /// The calendar date of a point in time, without the fraction of a second; nil if the date is not
  /// finite or out of range.
  init?(_ date: PropertyListDate) {
    guard let seconds = Self.wholeSeconds(of: date) else { return nil }
    let (days, time) = Self.divide(seconds, by: Self.secondsPerDay)
    (year, month, day) = Self.calendarDate(days + Self.referenceDay)
    hour = time / 3600
    minute = time / 60 % 60
    second = time % 60
  }

  /// The last whole second at or before a date; nil for a date that has no text.
  ///
  /// Not `rounded`, which would require linking C's math library.
  static func wholeSeconds(of date: PropertyListDate) -> Int? {
    guard date.secondsSinceReference.magnitude <= secondsMax else { return nil }
    let seconds = Int(date.secondsSinceReference)
    return Double(seconds) > date.secondsSinceReference ? seconds - 1 : seconds
  }

  /// Reads `year-month-day` and, after a separator, `hour:minute:second`.
  ///
  /// Leaves the cursor after the last digit; nil if a field is missing or out of range.
  init?(_ cursor: inout TextCursor, separator: UInt8) {
    let isBeforeChrist = cursor.skip("-")
    guard
      let year = Self.number(&cursor, digits: isBeforeChrist ? 3...6 : 4...6),
      cursor.skip("-"),
      let month = Self.number(&cursor, digits: 2...2), (1...12).contains(month), cursor.skip("-"),
      let day = Self.number(&cursor, digits: 2...2), day >= 1, cursor.current == separator
    else { return nil }
    cursor.step()
    guard
      let hour = Self.number(&cursor, digits: 2...2), hour < 24, cursor.skip(":"),
      let minute = Self.number(&cursor, digits: 2...2), minute < 60, cursor.skip(":"),
      let second = Self.number(&cursor, digits: 2...2), second < 60
    else { return nil }
    (self.year, self.month, self.day) = (isBeforeChrist ? -year : year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
    guard Self.calendarDate(dayNumber) == (self.year, month, day),
      Self.wholeSeconds(of: date) != nil
    else { return nil }
  }

  var date: PropertyListDate {
    let seconds = (dayNumber - Self.referenceDay) * Self.secondsPerDay
    return PropertyListDate(
      secondsSinceReference: Double(seconds + hour * 3600 + minute * 60 + second))
  }

  func text(separator: String, zone: String) -> String {
    let sign = year < 0 ? "-" : ""
    let width = year < 0 ? 3 : 4
    return sign + Self.padded(abs(year), width) + "-" + Self.padded(month, 2) + "-"
      + Self.padded(day, 2) + separator + Self.padded(hour, 2) + ":" + Self.padded(minute, 2) + ":"
      + Self.padded(second, 2) + zone
  }

  /// Days since 1970-01-01 in the Gregorian calendar, counted in eras of 400 years that begin in
  /// March, so that the leap day is the last of its year.
  private var dayNumber: Int {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = Self.divide(shifted, by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func calendarDate(_ dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = divide(dayNumber + 719_468, by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func divide(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func number(_ cursor: inout TextCursor, digits: ClosedRange<Int>) -> Int? {
    var number = 0
    var count = 0
    while count < digits.upperBound, let digit = cursor.current, digit.isDigit {
      number = number * 10 + Int(digit - 0x30)
      count += 1
      cursor.step()
    }
    return digits.contains(count) ? number : nil
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
