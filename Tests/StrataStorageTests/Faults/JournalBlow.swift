import StrataTesting

@testable import FaultTesting
@testable import StrataStorage

/// What destroys the journal of a domain in use.
enum JournalBlow: CaseIterable, Sendable {
  case zeroed, random
  /// The head and the word, and no record.
  case firstPage
  /// The same, and the last record.
  case firstPageAndLast
  /// One byte of the head: who has the journal open goes on with it.
  case head
  case removed

  /// Does nothing where there is no journal.
  func strike(_ machine: FaultMachine, _ random: inout SeededGenerator) {
    let path = CrashScript.paths.journal
    guard var bytes = machine.names[path]?.bytes else { return }
    switch self {
    case .zeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
    case .random: for index in bytes.indices { bytes[index] = random.next(upperBound: 255) }
    case .firstPage, .firstPageAndLast:
      for index in 0..<JournalLayout.recordsStart { bytes[index] = 0 }
      if self == .firstPageAndLast, let last = bytes.lastIndex(where: { $0 != 0 }) {
        bytes[last] ^= 1
      }
    case .head: bytes[20] ^= 0xFF
    case .removed: return machine.rename([(path, nil)])
    }
    machine.editInPlace(path, bytes)
  }
}
