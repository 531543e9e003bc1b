import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Works on Settings bundles.
extension Verb {
  static let settings = Verb(
    "settings", isForAllHosts: true,
    forms: [
      Form(Operand(.other, "list"), summary: "lists the Settings bundles that are installed"),
      Form(
        Operand(.other, "check"), Operand(.file, "<bundle>"),
        summary: "checks a Settings bundle"),
      Form(
        Operand(.other, "open"), Operand(.file, "<domain|bundle>"),
        summary: "serves a page that shows and changes the settings"),
    ],
    options: [.json, .port],
    notes: [
      "settings check reports each problem with its file and the number of its item, counted from "
        + "0, and exits with 1 if there is an error; a warning alone does no harm.",
      "settings open prints the page's address, which works once. The page is served to this "
        + "machine only, until Control-C. It shows your own domains, for any host.",
    ],
    run: Settings.run)
}

extension CommandOption {
  static let port = CommandOption(
    "port", "<port>", "with settings open, serves the page on this port; any free one otherwise")
}

private enum Settings {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    switch (call.words[0], call.words.dropFirst().first) {
    case ("list", nil): return try list(call)
    case ("check", let path?): return try check(path, call)
    case ("open", let target?): return try open(target, call)
    default:
      throw .usage("settings: use list, check <bundle>, or open <domain|bundle>")
    }
  }

  // -- list

  private static func list(_ call: Call) throws(Failure) -> ExitCode {
    let session = call.session
    let all: [(name: String, path: String)]
    do throws(StorageError) {
      all = try BundleSearch(session.process.surroundings).all()
    } catch {
      throw Failure(error.description)
    }
    var code = ExitCode.success
    var entries: [PropertyListValue] = []
    for (name, path) in all {
      do throws(Problem) {
        let count = try BundleReader.read(path).bundle.settings.count
        entries.append([
          "name": .string(name), "path": .string(path), "settings": .integer(Int64(count)),
        ])
        if call.has(.json) { continue }
      } catch {
        session.report("\(path): \(error)")
        code = .failure
        continue
      }
      try session.print("\(ShownName.text(of: name))  \(ShownName.text(of: path))")
    }
    if call.has(.json) { try session.print(.array(entries), as: .json) }
    return code
  }

  // -- check

  private static func check(_ path: String, _ call: Call) throws(Failure) -> ExitCode {
    let problems = problems(of: path)
    let isWrong = problems.contains { $0.severity != .warning }
    if call.has(.json) {
      try call.session.print(.array(problems.map(json)), as: .json)
    } else {
      for problem in problems {
        let kind = problem.severity == .warning ? "warning: " : ""
        let place = problem.item.map { "\(problem.file): item \($0)" } ?? problem.file
        let text = ShownName.escaped("\(place): \(kind)\(problem.text)", but: "")
        try call.session.print(
          problem.severity == .warning ? text : call.session.style.red(text))
      }
      if problems.isEmpty, !call.session.isQuiet { try call.session.print("no problems found") }
    }
    return isWrong ? .failure : .success
  }

  private static func problems(of path: String) -> [Problem] {
    do throws(Problem) {
      let (bundle, problems) = try BundleReader.read(path)
      return problems + BundleCheck.problems(of: bundle)
    } catch {
      return [error]
    }
  }

  private static func json(_ problem: Problem) -> PropertyListValue {
    var entry: [String: PropertyListValue] = [
      "file": .string(problem.file), "text": .string(problem.text),
      "severity": .string(problem.severity == .warning ? "warning" : "error"),
    ]
    entry["item"] = problem.item.map { .integer(Int64($0)) }
    return .dictionary(entry)
  }

  // -- open

  /// Another program does it, which needs a library that this one does without.
  private static func open(_ target: String, _ call: Call) throws(Failure) -> ExitCode {
    try refuseOtherPlaces(call)
    let isPath =
      target.utf8.contains(UInt8(ascii: "/")) || Path.stem(of: target, ending: ".bundle") != nil
    let isBundle = isPath && BundleReader.isBundle(target)
    let opened = isBundle ? target : try domainName(target, call.session)
    guard let program = OtherProgram("settings", call.session.console) else {
      throw Failure(
        "settings open needs the program defaults-settings beside this one or in PATH; "
          + "Scripts/install installs it where libmicrohttpd is")
    }
    let port = call.value(of: .port).map { ["--port", $0] } ?? []
    return try program.run(["open", opened] + port)
  }

  /// The page would show other values than those that were asked for, and change them.
  private static func refuseOtherPlaces(_ call: Call) throws(Failure) {
    let session = call.session
    guard let user = call.value(of: .user),
      session.process.places.user?.id != session.process.surroundings.userID
    else { return }
    throw .usage(
      "settings open: the page shows your own domains; run it as \(ShownName.text(of: user)), "
        + "without --user")
  }

  private static func domainName(_ typed: String, _ session: Session) throws(Failure) -> String {
    if typed.hasPrefix("-"), !NamedDomain.globalNames.contains(typed) {
      throw .usage("settings: unknown option \(typed)")
    }
    return try session.domain(typed: typed).identifier.name
  }
}
