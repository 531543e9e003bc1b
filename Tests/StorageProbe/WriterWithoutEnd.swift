import Glibc
import StrataStorage
import Synchronization

/// Sets numbers until it is killed. Each set that returned is counted in a file that every process
/// can map, and whose bytes survive the writer's death.
///
/// Arguments: the count's file, the writer's number, the first number, how many keys, and 1 for a
/// second thread that flushes all the time.
struct WriterWithoutEnd {
  private let store: Store
  private let count: UnsafeMutablePointer<Atomic<Int64>>
  private let writer: Int64
  private let first: Int64
  private let keys: Int64
  private let flushes: Bool

  init(_ store: Store, _ arguments: [String]) {
    self.store = store
    writer = number(arguments, 1)
    first = number(arguments, 2)
    keys = number(arguments, 3)
    flushes = number(arguments, 4) == 1
    let file = open(arguments[0], O_RDWR)
    guard let base = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      base != MAP_FAILED
    else { fail("no file for the count") }
    let words = base.assumingMemoryBound(to: Atomic<Int64>.self)
    count = words + Int(writer)
  }

  func run() {
    if flushes {
      let store = self.store
      startThread { while true { store.flush() } }
    }
    var next = first
    while true {
      set(store, "w\(writer).\(next % keys)", next)
      next += 1
      count.pointee.store(next, ordering: .releasing)
    }
  }
}

func startThread(_ body: @escaping @Sendable () -> Void) {
  var thread = pthread_t()
  let box = Unmanaged.passRetained(ThreadBody(body: body))
  let code = pthread_create(
    &thread, nil,
    { pointer in
      guard let pointer else { return nil }
      Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  if code != 0 { fail("no thread: \(code)") }
}

private final class ThreadBody: Sendable {
  let body: @Sendable () -> Void
  init(body: @escaping @Sendable () -> Void) { self.body = body }
}
