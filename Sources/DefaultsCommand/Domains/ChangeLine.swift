import StrataPropertyList

/// The change of one key as a JSON object on a line.
struct ChangeLine {
  private var line: [String: PropertyListValue]

  init(
    _ domain: NamedDomain, _ host: DomainHost?, _ key: String, _ change: Difference.Sides
  ) {
    line = ["domain": .string(domain.shown), "key": .string(key)]
    line["host"] = host.map { .string($0.identifier) }
    line["old"] = change.old
    line["new"] = change.new
  }

  func json() throws(Failure) -> String { try Self.text(of: line) }

  func json(at time: Double) throws(Failure) -> String {
    try Self.text(of: line.merging(["time": .real(time)]) { $1 })
  }

  /// Some of the escaped characters end a line for who reads it, too.
  private static func text(of line: [String: PropertyListValue]) throws(Failure) -> String {
    ShownName.escapedJSON(try JSONLine.text(of: .dictionary(line)))
  }
}
