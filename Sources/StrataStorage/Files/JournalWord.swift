/// The 64 bits of a journal on which all coherence rests: how much of it is committed, how much is
/// reserved behind that for the one record that is being written, and whether it is retired.
///
///     bits 0 to 28    length, a multiple of 8; bit 0 says whether it is retired
///     bits 32 to 56   bytes reserved behind the length, in units of 8
///     bit 57          whether others wait
///     bits 58 to 63   check
///
/// The check covers all other bits, so that one flipped bit makes no records disappear or appear.
struct JournalWord: Equatable, Sendable {
  let rawValue: UInt64

  private static let retiredBit: UInt64 = 1
  private static let lengthMask: UInt64 = (1 << 29) - 8
  private static let waitersBit: UInt64 = 1 << 57
  private static let checkShift: UInt64 = 58

  init(rawValue: UInt64) { self.rawValue = rawValue }

  init(
    length: Int, reserved: Int = 0, isRetired: Bool = false, hasWaiters: Bool = false
  ) {
    let bits =
      UInt64(truncatingIfNeeded: length) & Self.lengthMask | (isRetired ? Self.retiredBit : 0)
      | UInt64(truncatingIfNeeded: reserved / 8) << 32 | (hasWaiters ? Self.waitersBit : 0)
    rawValue = bits | Self.check(bits) << Self.checkShift
  }

  /// The exclusive or of the ten groups of six bits.
  @inline(__always)
  private static func check(_ bits: UInt64) -> UInt64 {
    var sum = bits & (1 << checkShift - 1)
    sum ^= sum >> 48
    sum ^= sum >> 24
    sum ^= sum >> 12
    sum ^= sum >> 6
    return sum & 63
  }

  /// The committed length.
  var length: Int { Int(truncatingIfNeeded: rawValue & Self.lengthMask) }
  /// How many bytes behind it are reserved, while somebody writes there; else 0.
  var reserved: Int { Int(truncatingIfNeeded: rawValue >> 32 & (1 << 25 - 1)) * 8 }
  var isRetired: Bool { rawValue & Self.retiredBit != 0 }
  var hasWaiters: Bool { rawValue & Self.waitersBit != 0 }

  /// Whether some process wrote this word, as its check bits and limits tell.
  var isSound: Bool {
    let bits = rawValue & (1 << Self.checkShift - 1)
    return rawValue >> Self.checkShift == Self.check(bits) && length >= JournalLayout.recordsStart
      && length + reserved <= Journal.sizeMax && (reserved > 0 ? !isRetired : !hasWaiters)
      && rawValue & 0xFFFF_FFFF & ~(Self.lengthMask | Self.retiredBit) == 0
  }

  /// What readers compare: it changes only when something is committed, or the journal is retired.
  var key: UInt64 { rawValue & 0xFFFF_FFFF }

  /// The key of a journal that has this length and is not retired.
  static func key(length: Int) -> UInt64 { UInt64(truncatingIfNeeded: length) & lengthMask }

  var withWaiters: JournalWord {
    JournalWord(length: length, reserved: reserved, isRetired: isRetired, hasWaiters: true)
  }
}
