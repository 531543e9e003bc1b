import CProbe
import Glibc
import StrataPropertyList
import StrataStorage

/// Does what each line of standard input says, and answers each with one line.
final class Service {
  private let store: Store
  private var hearing: Hearing?

  init(_ store: Store) { self.store = store }

  func run() {
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      guard let command = words.first else { continue }
      say(answer(command, Array(words.dropFirst())))
    }
  }

  private func answer(_ command: String, _ words: [String]) -> String {
    switch command {
    case "set":
      set(store, words[0], number(words, 1))
      return "ok"
    case "remove":
      set(store, words[0], nil)
      return "ok"
    case "set-text":
      return setText(words[0], length: Int(number(words, 1)))
    case "get": return text(of: store.value(forKey: words[0]))
    case "count": return "\(store.snapshot().values.count)"
    case "watch":
      hearing = Hearing(store, of: words[0])
      return "ok"
    case "unwatch-in-child": return hearing?.endInChild() ?? "not watching"
    case "told": return hearing?.wait(for: words[0]) ?? "not watching"
    case "await": return waitForValue(words[0], words[1])
    case "spin": return spin(words[0], count: number(words, 1))
    case "sync": return "\(store.synchronize())"
    case "flush": return "\(store.flush())"
    case "issues": return store.issues.map { "\($0)" }.joined(separator: " | ")
    case "values": return values()
    case "check":
      return StoreCheck(store.paths).findings.map(\.description).joined(separator: " | ")
    case "commit-forever": CommitterWithoutEnd(store, words).run()
    default: return limit(command, words)
    }
  }

  /// All keys with integers in arrays, as `key=1,2 key=…`.
  private func values() -> String {
    store.snapshot().values.sorted { $0.key < $1.key }.map { key, value in
      guard case .array(let items) = value else { return "\(key)=\(text(of: value))" }
      return key + "=" + items.map { text(of: $0) }.joined(separator: ",")
    }.joined(separator: " ")
  }

  private func limit(_ command: String, _ words: [String]) -> String {
    switch command {
    case "limit-file-size": return setLimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), words)
    case "limit-files": return setLimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), words)
    case "limit-memory": return setLimit(__rlimit_resource_t(RLIMIT_AS.rawValue), words)
    case "become": return become(words)
    case "pretend-boot": return probe_pretend_boot(words[0]) == 0 ? "ok" : "no"
    case "lose-processes": return probe_lose_processes() == 0 ? "ok" : "no"
    case "refuse-allocation":
      return probe_refuse_allocation(Int32(number(words, 0))) == 0 ? "ok" : "no"
    case "refuse-resolution":
      return probe_refuse_resolution(Int32(number(words, 0))) == 0 ? "ok" : "no"
    case "refuse-links": return probe_refuse_links(Int32(number(words, 0))) == 0 ? "ok" : "no"
    case "block-signals":
      var all = sigset_t()
      sigfillset(&all)
      return sigprocmask(SIG_BLOCK, &all, nil) == 0 ? "ok" : "no"
    default: fail("there is no command \(command)")
    }
  }

  /// A user, alone or as a member of a group.
  private func become(_ words: [String]) -> String {
    let user = uid_t(number(words, 0))
    if words.count > 1 {
      var group = gid_t(number(words, 1))
      guard setgroups(1, &group) == 0, setgid(user) == 0 else { return "no" }
    }
    return setuid(user) == 0 ? "ok" : "no"
  }

  private func setText(_ key: String, length: Int) -> String {
    do {
      try store.set(.string(String(repeating: "x", count: length)), forKey: key)
      return "ok"
    } catch {
      return "\(error)"
    }
  }

  /// Reads until the key has the value, at most a minute; answers how many reads that took.
  private func waitForValue(_ key: String, _ wanted: String) -> String {
    let end = nanoseconds() + 60_000_000_000
    var count = 0
    while nanoseconds() < end {
      count += 1
      if text(of: store.value(forKey: key)) == wanted { return "\(count)" }
    }
    return "never, but \(text(of: store.value(forKey: key)))"
  }

  /// Sets and reads a key; answers how often a read did not give what was set just before.
  private func spin(_ key: String, count: Int64) -> String {
    var wrong = 0
    for index in 0..<count {
      set(store, key, index)
      if store.integer(forKey: key) != index { wrong += 1 }
    }
    return "\(wrong)"
  }

  private func setLimit(_ resource: __rlimit_resource_t, _ words: [String]) -> String {
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = words[0] == "none" ? limit.rlim_max : rlim_t(number(words, 0))
    return setrlimit(resource, &limit) == 0 ? "ok" : "no"
  }
}
