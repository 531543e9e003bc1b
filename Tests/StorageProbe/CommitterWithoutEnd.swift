import Glibc
import StrataPropertyList
import StrataStorage
import Synchronization

/// Commits numbers until it is killed, and synchronizes after each eighth.
///
/// Each commit has the number and what it has read of the other writer's under two keys, and the
/// number under a third. Arguments: the file of the counts, which say how many commits and how many
/// of each writer have returned and been synchronized; the writer, 0 or 1; the first number; how
/// many pairs of keys; and after how many commits to flush.
struct CommitterWithoutEnd {
  private let store: Store
  private let counts: UnsafeMutablePointer<Atomic<Int64>>
  private let writer: Int64
  private let first: Int64
  private let keys: Int64
  private let flushes: Int64

  init(_ store: Store, _ arguments: [String]) {
    self.store = store
    writer = number(arguments, 1)
    first = number(arguments, 2)
    keys = number(arguments, 3)
    flushes = number(arguments, 4)
    let file = open(arguments[0], O_RDWR)
    guard let base = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      base != MAP_FAILED
    else { fail("no file for the counts") }
    counts = base.assumingMemoryBound(to: Atomic<Int64>.self)
  }

  func run() -> Never {
    var next = first
    while true {
      commit(next)
      next += 1
      counts[Int(writer)].store(next, ordering: .releasing)
      if next % 8 == 0, store.synchronize() {
        counts[Int(2 + writer)].store(next, ordering: .releasing)
      }
      if next % flushes == 0 { store.flush() }
    }
  }

  private func commit(_ number: Int64) {
    let seen = store.integer(forKey: "w\(1 - writer).last") ?? -1
    let value = PropertyListValue.array([.integer(number), .integer(seen)])
    let changes = ["a", "b"].map { Change(key: "w\(writer).\($0)\(number % keys)", value: value) }
    let last = Change(key: "w\(writer).last", value: .integer(number))
    do {
      try store.apply(ChangeSet(changes + [last]))
    } catch {
      fail("\(error)")
    }
  }
}
