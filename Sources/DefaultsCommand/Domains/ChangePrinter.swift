import StrataPropertyList
import StrataStorage

/// Prints each change on a line, immediately; ends the command if that fails.
final class ChangePrinter: @unchecked Sendable {
  // Safety: constants, and the failure, which the lock guards.
  private let console: any Console
  private let isJSON: Bool
  private let style: Style
  private var failed: Failure?
  private let lock = Lock(.memory)

  init(_ console: any Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
    style = Style(of: console)
  }

  var failure: Failure? { lock.withLock { failed } }

  func print(_ difference: Difference, in domain: NamedDomain) {
    do throws(Failure) {
      for (key, change) in KeySorting.sorted(difference.changes) {
        let line = try isJSON ? json(domain, key, change) : text(domain, key, change)
        try console.write(line + "\n")
      }
    } catch {
      lock.withLock { failed = error }
      console.end()
    }
  }

  private typealias Sides = (old: PropertyListValue?, new: PropertyListValue?)

  private func text(
    _ domain: NamedDomain, _ key: String, _ change: Sides
  ) throws(Failure) -> String {
    let old = try change.old.map { (value) throws(Failure) in try LineText.text(of: value) }
    let shown = ShownName.text(of: domain.shown)
    let name = "\(style.dim(shown)) \(style.bold(ShownName.text(of: key)))"
    guard let new = change.new else { return "\(name) removed  (was \(old ?? "nothing"))" }
    return "\(name) = \(try LineText.text(of: new))  (was \(old ?? "nothing"))"
  }

  private func json(
    _ domain: NamedDomain, _ key: String, _ change: Sides
  ) throws(Failure) -> String {
    var line: [String: PropertyListValue] = [
      "domain": .string(domain.shown), "key": .string(key), "time": .real(console.now),
    ]
    line["old"] = change.old
    line["new"] = change.new
    return try JSONLine.text(of: .dictionary(line))
  }
}
