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
    notes: ["Exits with 0 if both domains have the same values, and with 1 if they differ."],
    run: Diff.run)
}

private enum Diff {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let old = try call.session.existing(call.domains[0])
    let new = try call.session.existing(call.domains[1])
    let difference = Difference(from: old, to: new)
    if call.has(.json) {
      try call.session.print(json(difference), as: .json)
    } else {
      try show(difference, call.session)
    }
    return difference.isEmpty ? .success : .failure
  }

  private static func show(_ difference: Difference, _ session: Session) throws(Failure) {
    let style = session.style
    for (name, change) in KeySorting.sorted(difference.changes) {
      let key = ShownName.text(of: name)
      if let old = change.old {
        try session.print(style.red("- \(key) = \(try LineText.text(of: old))"))
      }
      if let new = change.new {
        try session.print(style.green("+ \(key) = \(try LineText.text(of: new))"))
      }
    }
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
