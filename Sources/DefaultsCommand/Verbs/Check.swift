import StrataDomains
import StrataStorage

/// Checks the files of domains for damage.
extension Verb {
  static let check = Verb(
    "check",
    forms: [
      Form(summary: "checks the files of all domains for damage"),
      Form(.domain, summary: "checks the files of domain for damage"),
    ],
    notes: [
      "Changes nothing. Work that a program left unfinished when it died is reported but is not "
        + "damage: the next program cleans it up. Exits with 1 if damage is found."
    ],
    run: Check.run)
}

private enum Check {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let session = call.session
    let files = try files(call)
    let progress = Progress("check", on: session.console)
    var isBroken = false
    var valueCount = 0
    for (index, file) in files.enumerated() {
      progress.show(ShownName.text(of: file.name), index, of: files.count)
      let check = StoreCheck(file.paths)
      valueCount += check.valueCount
      for finding in check.findings {
        progress.clear()
        let isFault = finding.severity == .broken
        isBroken = isBroken || isFault
        let text = ShownName.escaped(finding.description)
        try session.print(isFault ? session.style.red(text) : text)
      }
    }
    progress.clear()
    let domains = files.count == 1 ? "1 domain" : "\(files.count) domains"
    let values = valueCount == 1 ? "1 value" : "\(valueCount) values"
    try session.print("\(domains), \(values): \(isBroken ? "damage found" : "no damage found")")
    return isBroken ? .failure : .success
  }

  private static func files(_ call: Call) throws(Failure) -> [(name: String, paths: StorePaths)] {
    guard let domain = call.domains.first else {
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
