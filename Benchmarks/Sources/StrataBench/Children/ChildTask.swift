import CBench
import Foundation
import Synchronization

/// What a child process does for the report.
enum ChildTask: String {
  /// Opens, reads one value, and says how long that took.
  case first
  /// The same in a process that has another thread, as most have that use Dispatch or tasks.
  case firstOfThreads
  /// Reads so many times: for whoever counts its system calls.
  case reads
  /// Reads until it sees a time and says how old that is, again and again.
  case watch
  /// Is told of each time that is set, and says how old they were.
  case observe
  /// Observes a key and says nothing, until it is ended.
  case listen
  /// Opens, reads, sets, and then does nothing for three seconds.
  case idle
  /// Sets without a pause for so many seconds, and says how often, and how long one took at most.
  case contend

  static func run(_ arguments: [String]) throws {
    guard arguments.count >= 3, let task = Self(rawValue: arguments[0]) else {
      throw BenchError("a child needs a task, a peer and a directory")
    }
    let peer = try Contestant(id: arguments[1]).peer
    let rest = arguments.dropFirst(3).compactMap { Int($0) }
    switch task {
    case .first: try first(peer, arguments[2])
    case .firstOfThreads:
      Thread.detachNewThread { while true { sleep(.max) } }
      usleep(1_000)
      try first(peer, arguments[2])
    case .reads: try reads(peer, arguments[2], rest)
    case .watch: try watch(peer, arguments[2])
    case .observe: try observe(peer, arguments[2])
    case .listen: try listen(peer, arguments[2])
    case .idle: try idle(peer, arguments[2])
    case .contend: try contend(peer, arguments[2], rest)
    }
  }

  private static func first(_ peer: any Peer, _ directory: String) throws {
    let keys = Keys.hot(.integer)
    bench_consume(UInt64(UInt(bitPattern: ObjectIdentifier(peer.storeType).hashValue)))
    let start = bench_now()
    let store = try peer.open(directory)
    let value = try store.read(.integer, keys, 1)
    let end = bench_now()
    // Not before: closing is no part of it.
    store.close()
    guard value == 1 else { throw BenchError("\(peer.name) read \(value) instead of 1") }
    say("\(end - start)")
  }

  private static func reads(_ peer: any Peer, _ directory: String, _ arguments: [Int]) throws {
    let (kind, count) = (Kind(rawValue: arguments[0]) ?? .integer, arguments[1])
    let store = try peer.open(directory)
    let keys = Keys.hot(kind)
    bench_consume(UInt64(bitPattern: try store.read(kind, keys, 1_000)))
    if count > 0 { bench_consume(UInt64(bitPattern: try store.read(kind, keys, count))) }
  }

  private static func watch(_ peer: any Peer, _ directory: String) throws {
    let keys = Keys.hot(.integer)
    let store = try peer.open(directory)
    var last = try store.read(.integer, keys, 1)
    var samples: [Double] = []
    say("ready")
    while last != .max {
      let value = try store.read(.integer, keys, 1)
      if value == last { continue }
      if value != .max { samples.append(Double(bench_now() - value)) }
      last = value
    }
    // The first ones fault code and pages in.
    let times = Distribution(Array(samples.dropFirst(samples.count / 10)))
    say("\(times.median) \(times.quantile(0.99)) \(times.max) \(times.count)")
  }

  private static func observe(_ peer: any Peer, _ directory: String) throws {
    let store = try peer.open(directory)
    let samples = Mutex<[Double]>([])
    say("ready")
    try store.observe(Keys.hot(.integer)) { value in
      let now = bench_now()
      if value == .max { return true }
      samples.withLock { $0.append(Double(now - value)) }
      return false
    }
    let all = samples.withLock { $0 }
    let times = Distribution(Array(all.dropFirst(all.count / 10)))
    say("\(times.median) \(times.quantile(0.99)) \(times.max) \(all.count)")
  }

  private static func listen(_ peer: any Peer, _ directory: String) throws {
    let store = try peer.open(directory)
    say("ready")
    try store.observe(Keys.hot(.integer)) { $0 == .max }
  }

  private static func idle(_ peer: any Peer, _ directory: String) throws {
    let store = try peer.open(directory)
    bench_consume(UInt64(bitPattern: try store.read(.integer, Keys.hot(.integer), 1_000)))
    let start = processTime()
    try store.set(Keys.hot(.integer), 10, from: 5)
    sleep(2)
    let late = processTime()
    sleep(1)
    let end = processTime()
    say("\(try threadCount()) \(end - start) \(end - late)")
  }

  private static func contend(
    _ peer: any Peer, _ directory: String, _ arguments: [Int]
  ) throws {
    let store = try peer.open(directory)
    let keys = Keys.random(.integer, of: 100).texts.map { Keys([$0]) }
    var (count, longest) = (0, Int64(0))
    var now = bench_now()
    let end = now + Int64(arguments.first ?? 1) * 1_000_000_000
    while now < end {
      // The time is another value for each of them, whoever sets it.
      try store.set(keys[count % keys.count], 1, from: now)
      let then = bench_now()
      longest = max(longest, then - now)
      (now, count) = (then, count + 1)
    }
    say("\(count) \(longest)")
  }

  /// Nanoseconds that this process has used of processors.
  private static func processTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func threadCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("Threads:") }
    return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? -1
  }

  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
