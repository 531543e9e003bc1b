import Foundation

/// The type of a benchmark's value; the key at index `i` has the kind `i % 3`.
enum Kind: Int, CaseIterable, Sendable {
  case boolean, integer, string

  var name: String {
    switch self {
    case .boolean: "Bool"
    case .integer: "Int"
    case .string: "String"
    }
  }
}

/// Keys that are used in turn, as Swift's and as C's strings. Never freed: peers may keep them.
final class Keys: @unchecked Sendable {
  let texts: [String]
  // Safety: allocated here, never written again, never freed.
  let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>

  init(_ texts: [String]) {
    self.texts = texts
    pointers = .allocate(capacity: texts.count)
    for (index, text) in texts.enumerated() { pointers[index] = UnsafePointer(strdup(text)) }
    Self.lock.withLock { Self.all.append(self) }
  }

  private static let lock = NSLock()
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var all: [Keys] = []

  /// The same keys in other memory.
  func copy() -> Keys { Keys(texts.map { String(decoding: Array($0.utf8), as: UTF8.self) }) }

  /// 16 characters, fit for every peer.
  static func name(_ index: Int) -> String {
    let digits = String(index)
    return "key" + String(repeating: "0", count: 13 - digits.count) + digits
  }

  static func first(_ count: Int) -> Keys { Keys((0..<count).map(name)) }

  static func hot(_ kind: Kind) -> Keys { Keys([name(kind.rawValue)]) }

  /// All keys of a kind, each once, in an order that caches can't foresee.
  static func random(_ kind: Kind, of count: Int) -> Keys {
    var generator = Generator()
    let indices = stride(from: kind.rawValue, to: count, by: 3).shuffled(using: &generator)
    return Keys(indices.map(name))
  }

  /// What reading each of the keys once adds up to.
  static func sum(_ kind: Kind, of count: Int) -> Int64 {
    stride(from: kind.rawValue, to: count, by: 3).reduce(0) { sum, index in
      switch kind {
      case .boolean: sum + (index % 2 == 0 ? 1 : 0)
      case .integer: sum + Int64(index)
      case .string: sum + Int64(stringValue.utf8.count)
      }
    }
  }

  static let stringValue = "a value of 24 characters"

  /// The same order in every run.
  private struct Generator: RandomNumberGenerator {
    private var state: UInt64 = 0x5EED

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }
}
