import CProbe
import Glibc
import StrataPropertyList
import StrataStorage

/// A process that uses one store as it is told: `StorageProbe COMMAND PLIST ARGUMENT…`.
@main struct ProbeProgram {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else { fail("StorageProbe COMMAND PLIST ARGUMENT…") }
    let store = Store.open(StorePaths(plist: arguments[1]))
    let rest = Array(arguments.dropFirst(2))
    switch arguments[0] {
    case "set": set(store, rest[0], number(rest, 1))
    case "get": say(text(of: store.value(forKey: rest[0])))
    case "fill": fill(store, count: Int(number(rest, 0)))
    case "write-forever": WriterWithoutEnd(store, rest).run()
    case "write-keys": writeKeys(store, writer: number(rest, 0), count: number(rest, 1))
    case "contend": Contender(store, writer: number(rest, 0), count: number(rest, 1)).run()
    case "read": read(store, rest[0], count: number(rest, 1))
    case "die-locked": dieLocked(store)
    case "serve": Service(store).run()
    case "many":
      ManyDomains(in: arguments[1] + ".d", count: number(rest, 0), files: number(rest, 1)).run()
    case "fork": ForkingProgram(store).run()
    default: fail("there is no command \(arguments[0])")
    }
  }

  /// Sets a key for each number, from the moment at which a line comes in.
  private static func writeKeys(_ store: Store, writer: Int64, count: Int64) {
    say("ready")
    _ = readLine()
    for index in 0..<count { set(store, "w\(writer).\(index)", index) }
    say("done")
    _ = readLine()
  }

  private static func fill(_ store: Store, count: Int) {
    for index in 0..<count { set(store, "key\(index)", Int64(index)) }
    say(store.flush() ? "flushed" : "not flushed")
  }

  /// Reads as fast as it can; says how many nanoseconds and allocations that took.
  private static func read(_ store: Store, _ key: String, count: Int64) {
    _ = store.integer(forKey: key)
    let allocations = probe_allocations()
    let start = nanoseconds()
    var sum: Int64 = 0
    for _ in 0..<count {
      sum &+= store.integer(forKey: key) ?? 0
      sum &+= store.boolean(forKey: key) == true ? 1 : 0
    }
    let elapsed = nanoseconds() - start
    say("\(elapsed) \(probe_allocations() - allocations) \(sum)")
  }

  /// Is killed in the middle of a set, with the lock between processes taken.
  private static func dieLocked(_ store: Store) {
    set(store, "before", 1)
    store.step = { if $0 == .sealed { kill(getpid(), SIGKILL) } }
    set(store, "during", 2)
  }
}

// -- What all commands share

func set(_ store: Store, _ key: String, _ number: Int64?) {
  do {
    try store.set(number.map { .integer($0) }, forKey: key)
  } catch {
    fail("\(error)")
  }
}

func text(of value: PropertyListValue?) -> String {
  switch value {
  case nil: "nil"
  case .integer(let number): "\(number)"
  case .string(let text): text
  case let other?: "\(other)"
  }
}

func number(_ texts: [String], _ index: Int) -> Int64 {
  guard index < texts.count, let number = Int64(texts[index]) else {
    fail("argument \(index + 3) is no number")
  }
  return number
}

/// Writes one line at once.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  var done = 0
  while done < bytes.count {
    let part = bytes[done...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    if part <= 0 { exit(74) }
    done += part
  }
}

func fail(_ text: String) -> Never {
  say("failed: \(text)")
  exit(64)
}

func nanoseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
