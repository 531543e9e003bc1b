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

  /// - Parameter host: the host that the domain is for; nil for one that is for all.
  func print(_ difference: Difference, in domain: NamedDomain, of host: DomainHost?) {
    do throws(Failure) {
      for (key, change) in KeySorting.sorted(difference.changes) {
        let line =
          try isJSON
          ? ChangeLine(domain, host, key, change).json(at: console.now)
          : text(domain, host, key, change)
        try console.write(line + "\n")
      }
    } catch {
      lock.withLock { failed = error }
      console.end()
    }
  }

  private func text(
    _ domain: NamedDomain, _ host: DomainHost?, _ key: String, _ change: Difference.Sides
  ) throws(Failure) -> String {
    let (old, new) = try Difference.texts(of: change)
    let shown = ShownName.text(of: domain.shown) + (host.map { " \($0.label)" } ?? "")
    let name = "\(style.dim(shown)) \(style.bold(ShownName.text(of: key)))"
    guard let new else { return "\(name) removed  (was \(old ?? "nothing"))" }
    return "\(name) = \(new)  (was \(old ?? "nothing"))"
  }
}
