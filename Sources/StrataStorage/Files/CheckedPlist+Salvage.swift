package import StrataPropertyList

/// Reads what is sound in a damaged file.
///
/// Safety: the walk lives inside the call that lends it the bytes; entries own their memory.
extension CheckedPlist {
  /// What could be read from a damaged file.
  package struct Salvage: Sendable {
    /// The keys and values of every record whose own checksum is right, in the order of the file.
    package var entries: [(key: String, value: PropertyListValue)] = []
    /// How many records are lost, to the best of our knowledge; at least 1 when anything is wrong.
    package var damagedCount = 0
  }

  /// Reads every sound record of a file, wherever it stands.
  ///
  /// Damaged stretches are searched byte by byte for the next sound record. The search may check a
  /// bounded number of bytes for false starts, so that no file can make it take quadratic time.
  package static func salvage(_ bytes: [UInt8]) -> Salvage {
    bytes.withUnsafeBytes { salvage($0) }
  }

  static func salvage(_ bytes: FileBytes) -> Salvage { bytes.withUnsafeBytes { salvage($0) } }

  static func salvage(_ bytes: UnsafeRawBufferPointer) -> Salvage {
    var walk = SalvageWalk(bytes)
    return walk.run()
  }
}
