import StrataPropertyList

/// Prints the names of all domains.
extension Verb {
  static let domains = Verb(
    "domains", isClassic: true,
    forms: [Form(summary: "lists all domains")],
    options: [.json],
    run: Domains.run)
}

private enum Domains {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let listing = try call.session.domains()
    let names = listing.domains.map(\.domain).filter { $0 != .global }.map(\.shown)
    if call.has(.json) {
      try call.session.print(.array(names.map { .string($0) }), as: .json)
    } else {
      try call.session.print(names.map(ShownName.text).joined(separator: ", "))
    }
    return call.session.report(listing)
  }
}
