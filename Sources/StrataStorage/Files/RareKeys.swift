import StrataPropertyList

/// The keys of a domain's file that are not ASCII, collected when they are first needed.
///
/// Two strings are the same key if they are canonically equivalent. That only matters for
/// characters past ASCII, and for three in ASCII that have a double past it.
final class RareKeys: Sendable {
  /// The scalars past ASCII that are equivalent to one of ASCII: the Kelvin sign, the Greek
  /// question mark and the Greek varia.
  static let doubles: [Unicode.Scalar: Unicode.Scalar] = [
    "\u{212A}": "K", "\u{37E}": ";", "\u{1FEF}": "`",
  ]

  private let lock = Lock(.parts)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var positions: Positions?

  // An object: to destroy an optional dictionary, a process searches all conformances once. (Nor in
  // a `Mutex`: that is a type that the runtime has to make.)
  private final class Positions: Sendable {
    let known: [String: Int]
    init(_ known: [String: Int]) { self.known = known }
  }

  /// Whether a file could hold this key in another composition.
  static func mayEqualAnother(_ key: String) -> Bool {
    key.utf8.contains { byte in byte >= 0x80 || byte == 0x4B || byte == 0x3B || byte == 0x60 }
  }

  /// Whether the key has a character that has a double in ASCII.
  static func hasDouble(_ key: String) -> Bool {
    key.unicodeScalars.contains { doubles[$0] != nil }
  }

  /// The key with the characters that have a double in ASCII replaced by it.
  static func plain(_ key: String) -> String {
    var plain = ""
    plain.unicodeScalars.append(contentsOf: key.unicodeScalars.map { doubles[$0] ?? $0 })
    return plain
  }

  /// The position of a key in any composition but its own.
  func position(of key: String, in keys: KeySearch) -> Int? {
    if let position = rarePositions(keys)[key] { return position }
    return keys.position(of: Self.plain(key))
  }

  /// Locking: the keys are collected under the lock, once for each index; that takes no other lock.
  private func rarePositions(_ keys: KeySearch) -> [String: Int] {
    lock.withLock {
      if let positions { return positions.known }
      var gathered: [String: Int] = [:]
      for position in 0..<keys.dictionary.count {
        if let key = keys.rareKey(at: position) { gathered[key] = position }
      }
      positions = Positions(gathered)
      return gathered
    }
  }
}
