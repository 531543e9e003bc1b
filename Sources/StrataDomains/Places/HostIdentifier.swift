import CStrata
package import StrataStorage

/// Identifies this machine in the names of files for this host only.
///
/// All programs must compute the same identifier, forever, or stored values can't be found any
/// more. It is the first 12 hexadecimal digits that `tr -d '\n' </etc/machine-id | sha256sum`
/// prints.
///
/// It is a hash because the machine ID should not leave the machine, as home directories may.
package struct HostIdentifier: Equatable, Sendable {
  package let text: String

  /// Of a machine whose number could not be read at the moment: to guess one would hide its values.
  static let unknown = HostIdentifier(text: "")
  var isKnown: Bool { !text.isEmpty }

  private init(text: String) { self.text = text }

  /// The identifier of the machine with this machine ID or, if it has none, with this host name.
  package init(of machine: String) {
    // Safety: the bytes are only read during the call.
    var machine = machine
    let hash = machine.withUTF8 { strata_sha256($0.baseAddress, min($0.count, Self.hashedSize)) }
    text = HexDigits.text(hash.high, count: 12)
  }

  /// How much of a long host name counts: as much as it always has.
  private static let hashedSize = 55

  /// An identifier given as its 12 hexadecimal digits.
  package init?(digits: String) {
    guard digits.utf8.count == 12, digits.utf8.allSatisfy(Self.isDigit) else { return nil }
    text = digits
  }

  /// The identifier of this machine, or of the file tree at `root`.
  package static func find(
    root: String = "", _ read: Read = firstLine
  ) throws(StorageError) -> HostIdentifier {
    func number(_ path: String) throws(StorageError) -> HostIdentifier? {
      // A number and the end of its line.
      let number = try read(root + path, 33)
      return isMachineNumber(number) ? HostIdentifier(of: number) : nil
    }
    if let known = try number("/etc/machine-id") { return known }
    if let known = try number("/var/lib/dbus/machine-id") { return known }
    let name = try read(root + "/proc/sys/kernel/hostname", 256)
    return HostIdentifier(of: name.isEmpty ? "localhost" : name)
  }

  /// Until its first boot is complete, a new machine has `uninitialized` there; an image has
  /// nothing.
  private static func isMachineNumber(_ line: String) -> Bool {
    let digits = line.utf8
    return digits.count == 32 && digits.contains { $0 != UInt8(ascii: "0") }
      && digits.allSatisfy(isDigit)
  }

  /// The first line of a file, of at most so many bytes; empty if the next source is to be tried.
  package typealias Read = (String, Int) throws(StorageError) -> String

  package static func firstLine(
    of path: String, atMost count: Int
  ) throws(StorageError) -> String {
    do throws(StorageError) {
      return try SystemFileSystem().firstLine(of: path, atMost: count)
    } catch {
      if error.isOfMoment { throw error }
      return ""
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }
}
