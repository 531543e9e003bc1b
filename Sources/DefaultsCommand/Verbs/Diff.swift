import StrataPropertyList

/// Prints how two domains differ.
extension Verb {
  static let diff = Verb(
    "diff",
    forms: [
      Form(
        Operand(.domain, "<domain>"), Operand(.domain, "<other_domain>"),
        summary: "shows how two domains differ")
    ],
    options: [.json],
    notes: [
      "Exits with 0 if both domains have the same values, and with 1 if they differ. With --quiet, "
        + "prints nothing."
    ],
    run: Diff.run)
}

private enum Diff {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let old = try call.session.existing(call.domains[0])
    let new = try call.session.existing(call.domains[1])
    let difference = Difference(from: old, to: new)
    if call.session.isQuiet {
      // The exit code alone is asked for.
    } else if call.has(.json) {
      try call.session.print(json(difference), as: .json)
    } else {
      try call.session.print(difference)
    }
    return difference.isEmpty ? .success : .failure
  }

  private static func json(_ difference: Difference) -> PropertyListValue {
    .dictionary(
      difference.changes.mapValues { change in
        var sides: [String: PropertyListValue] = [:]
        sides["old"] = change.old
        sides["new"] = change.new
        return .dictionary(sides)
      })
  }
}
