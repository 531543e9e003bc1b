/// The names of hosts, groups and users that keys of the store are made of.
package enum PlainName {
  package static let rule =
    "a name has 1 to 128 letters, digits, hyphens, dots and underscores, and begins with none of "
    + "the last three"

  package static func isValid(_ name: String) -> Bool {
    guard (1...128).contains(name.utf8.count), let first = name.utf8.first else { return false }
    return isAlphanumeric(first)
      && name.utf8.allSatisfy { isAlphanumeric($0) || marks.contains($0) }
  }

  private static let marks = Array("-._".utf8)

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
