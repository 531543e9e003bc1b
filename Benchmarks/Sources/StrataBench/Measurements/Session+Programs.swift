import Foundation

/// Whole processes of programs with one setting among 100.
extension Session {
  private static let tasks = [
    ("reads", "read"), ("sets", "set"), ("reads and sets", "change"),
  ]

  func measurePrograms() throws {
    let field = try prepare(100, "program") { _ in true }.map { contestant, directory in
      (contestant.name, try words(of: contestant, directory))
    }
    let empty = ("empty, with Foundation", [try Self.program("ProgramEmpty")])
    let rounds = options.isQuick ? 10 : 200
    report.begin(
      "A program's whole process, 100 keys",
      "From before it is started until it has ended, in turns, \(rounds) times each: median, and "
        + "the least. Foundation's class does not store what is set before a process ends.")
    for (title, task) in Self.tasks {
      let runners = field.map { ($0.0, $0.1(task)) } + [empty]
      let samples = try inTurns(runners, rounds)
      report.add(title, samples.map { ($0.0, $0.1.median) })
      report.addTimes("\(title), at least", samples.map { ($0.0, $0.1.least) })
      for (name, times) in samples { report.note("program \(task) \(name)", times.median) }
    }
    try countCalls(field)
  }

  private func inTurns(
    _ runners: [(String, [String])], _ rounds: Int
  ) throws -> [(String, Distribution)] {
    var times: [[Double]] = runners.map { _ in [] }
    for round in 0..<rounds {
      for turn in runners.indices {
        let index = (turn + round) % runners.count
        times[index].append(try CommandPeer.time(runners[index].1))
      }
    }
    return zip(runners, times).map { ($0.0, Distribution($1)) }
  }

  /// What a program's first read adds to the system calls of one that only starts.
  private func countCalls(_ field: [(String, (String) -> [String])]) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else { return }
    let log = "\(options.directory)/calls"
    func calls(_ words: [String]) throws -> Double {
      _ = try CommandPeer.time(["/usr/bin/strace", "-f", "-o", log] + words)
      let text = try String(contentsOfFile: log, encoding: .utf8)
      return Double(text.split(separator: "\n").count { !$0.contains("+++") })
    }
    let counts = try field.map { name, words in
      (name, try calls(words("read")) - calls(words("none")))
    }
    report.begin("System calls of a program's one read, 100 keys")
    report.addNumbers("reads", counts)
    for (name, count) in counts { report.note("program calls \(name)", count) }
  }

  private func words(
    of contestant: Contestant, _ directory: String
  ) throws -> (String) -> [String] {
    let key = Keys.name(Kind.integer.rawValue)
    let suite = "bench-" + (directory as NSString).lastPathComponent
    switch contestant.id {
    case "strata": return words(try Self.program("ProgramStore"), directory, key)
    case "class": return words(try Self.program("ProgramClass"), suite, key)
    case "foundation": return words(try Self.program("ProgramFoundation"), suite, key)
    default:
      let program = try Self.program("ProgramPeer")
      return { [program, contestant.id, $0, directory, key] }
    }
  }

  private func words(_ program: String, _ place: String, _ key: String) -> (String) -> [String] {
    { [program, $0, place, key] }
  }

  /// A program beside this one.
  private static func program(_ name: String) throws -> String {
    guard let own = Bundle.main.executableURL else { throw BenchError("who am I?") }
    return own.deletingLastPathComponent().appendingPathComponent(name).path
  }
}
