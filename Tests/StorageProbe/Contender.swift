import StrataStorage
import Synchronization

/// Sets one key to numbers that nobody else uses while a second thread notes what it reads.
///
/// Says in the end, in one line, the different values that were read one after the other.
final class Contender: Sendable {
  private let store: Store
  private let writer: Int64
  private let count: Int64
  private let isDone = Atomic<Bool>(false)
  private let lock = Lock(.watching)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var seen: [Int64] = []

  static let key = "contended"

  init(_ store: Store, writer: Int64, count: Int64) {
    self.store = store
    self.writer = writer
    self.count = count
  }

  func run() {
    say("ready")
    _ = readLine()
    startThread { [self] in observe() }
    for index in 0..<count { set(store, Self.key, writer * 1_000_000 + index) }
    say("written")
    _ = readLine()  // until every writer has written
    isDone.store(true, ordering: .releasing)
    while lock.withLock({ seen.isEmpty }) {}
    say(lock.withLock { seen.map(String.init).joined(separator: " ") })
    say(text(of: store.value(forKey: Self.key)))
    _ = readLine()
  }

  private func observe() {
    var values: [Int64] = []
    while !isDone.load(ordering: .acquiring) {
      guard let value = store.integer(forKey: Self.key), value != values.last else { continue }
      values.append(value)
    }
    lock.withLock { seen = values.isEmpty ? [-1] : values }
  }
}
