import StrataDomains
import StrataPropertyList

/// Prints how this host is named in the names of files.
extension Verb {
  static let printHostIdentifier = Verb(
    "printHostIdentifier", isClassic: true, usesDomains: false,
    forms: [Form(summary: "prints the identifier of this host in names of files")],
    options: [.json],
    run: PrintHostIdentifier.run)
}

private enum PrintHostIdentifier {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let identifier = call.session.process.places.host.text
    if call.has(.json) {
      try call.session.print(.dictionary(["host": .string(identifier)]), as: .json)
    } else {
      try call.session.print(identifier)
    }
    return .success
  }
}
