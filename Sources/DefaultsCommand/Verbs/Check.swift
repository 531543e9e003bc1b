import StrataDomains
import StrataPropertyList
import StrataStorage

/// Checks the files of domains for damage.
extension Verb {
  static let check = Verb(
    "check",
    forms: [
      Form(summary: "checks the files of all domains for damage"),
      Form(.domain, summary: "checks the files of domain for damage"),
    ],
    options: [.json],
    notes: [
      "Changes nothing. Work that a program left unfinished when it died is reported but is not "
        + "damage: the next program cleans it up. Exits with 1 if damage is found. "
        + "With --quiet, prints only what is found."
    ],
    run: Check.run)
}

private enum Check {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let session = call.session
    let files = try files(call)
    let progress = session.progress("check")
    var findings: [StoreCheck.Finding] = []
    var valueCount = 0
    for (index, file) in files.enumerated() {
      progress.show(ShownName.text(of: file.name), index, of: files.count)
      let check = StoreCheck(file.paths)
      valueCount += check.valueCount
      findings += check.findings
      if call.has(.json) || check.findings.isEmpty { continue }
      progress.clear()
      for finding in check.findings { try show(finding, session) }
    }
    progress.clear()
    let isBroken = findings.contains { $0.severity == .broken }
    if call.has(.json) {
      try session.print(json(findings, files.count, valueCount), as: .json)
    } else if !session.isQuiet {
      let domains = files.count == 1 ? "1 domain" : "\(files.count) domains"
      let values = valueCount == 1 ? "1 value" : "\(valueCount) values"
      try session.print("\(domains), \(values): \(isBroken ? "damage found" : "no damage found")")
    }
    return isBroken ? .failure : .success
  }

  private static func show(
    _ finding: StoreCheck.Finding, _ session: Session
  ) throws(Failure) {
    let text = ShownName.escaped(finding.description)
    try session.print(finding.severity == .broken ? session.style.red(text) : text)
  }

  private static func json(
    _ findings: [StoreCheck.Finding], _ domainCount: Int, _ valueCount: Int
  ) -> PropertyListValue {
    .dictionary([
      "domains": .integer(Int64(domainCount)), "values": .integer(Int64(valueCount)),
      "findings": .array(
        findings.map {
          .dictionary([
            "file": .string($0.path), "severity": .string($0.severity.rawValue),
            "text": .string($0.text),
          ])
        }),
    ])
  }

  private static func files(_ call: Call) throws(Failure) -> [(name: String, paths: StorePaths)] {
    guard let domain = call.domains.first else {
      if call.session.host != .any {
        throw .usage(
          "check: all domains are checked for all hosts; name one, or omit "
            + "\(Grammar.thisHostFlag) or \(Grammar.hostFlag)")
      }
      try call.session.requireHome()
      do throws(ArchiveError) {
        return try Archive.files(in: call.session.process.places)
      } catch {
        throw Failure(error.description)
      }
    }
    guard case .file(let store) = try call.session.layer(of: domain),
      DirectoryWatch.isThere(store.paths.plist) || DirectoryWatch.isThere(store.paths.journal)
    else { throw Failure("Domain \(domain.shown) does not exist") }
    return [(domain.shown, store.paths)]
  }
}
