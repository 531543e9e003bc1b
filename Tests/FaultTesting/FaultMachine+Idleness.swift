@testable import StrataStorage

extension FaultMachine {
  /// Whether a journal of this boot has the size of an idle one, and is not idle: then who looks at
  /// its size only would miss what it holds. Asked before each call, so in every test.
  var isAnyFalselyIdle: Bool {
    names.contains { path, file in
      guard file.size == JournalLayout.idleSize, path.hasSuffix(".journal") else { return false }
      let bytes = UnsafeRawBufferPointer(start: file.cached, count: file.size)
      guard case .header(let header) = JournalHeader.read(bytes), header.boot.low == boot else {
        return false
      }
      let bits = bytes.load(fromByteOffset: JournalLayout.word, as: UInt64.self)
      let intent = JournalLayout.intent..<JournalLayout.intent + 32
      let isAnnouncing = bytes[intent].contains { $0 != 0 }
      // A word that is unsound was destroyed by a test.
      return JournalWord(rawValue: bits).isSound
        && (bits != JournalWord(length: JournalLayout.recordsStart).rawValue || isAnnouncing)
    }
  }
}
