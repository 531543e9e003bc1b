/// The first four bytes of a record, by which all processes agree what became of it.
///
/// They are 0 until the record is written, and change once, by an exchange that only one process
/// wins: the writer puts the journal's salt there (the lower half of its id), and the record
/// counts; or a process that has waited for too long makes the record void, and it never counts,
/// whatever its writer still does.
enum JournalMark: Equatable, Sendable {
  case undecided
  case committed
  /// The reserved bytes hold no record.
  case void(size: Int)
  case damaged

  private static let sizeMask: UInt32 = 1 << 25 - 1
  private static let checkShift: UInt32 = 25
  /// Set in every salt, and in no void mark.
  static let saltBit: UInt32 = 1 << 31

  init(_ bits: UInt32, salt: UInt32) {
    let size = Int(bits & Self.sizeMask) * 8
    if bits == 0 {
      self = .undecided
    } else if bits == salt {
      self = .committed
    } else if size > 0, bits == Self.void(size: size, salt: salt) {
      self = .void(size: size)
    } else {
      self = .damaged
    }
  }

  static func void(size: Int, salt: UInt32) -> UInt32 {
    let units = UInt32(truncatingIfNeeded: size / 8) & sizeMask
    let check = ((units ^ salt) &* 0x9E37_79B1) >> 26
    return units | check << checkShift
  }
}
