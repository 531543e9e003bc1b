import StrataDomains

/// Saves all domains of the user to one file.
extension Verb {
  static let backup = Verb(
    "backup", isForAllHosts: true,
    forms: [
      Form(
        Operand(.file, "<archive>"),
        summary: "saves all domains of the user, on all hosts, to a file")
    ],
    notes: [
      "The archive is a property list with a checksum for each domain and for the whole file. An "
        + "existing file is replaced completely or not at all; '-' is the standard output."
    ],
    run: Backup.run)
}

private enum Backup {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let console = call.session.console
    if call.words[0] == "-", console.isTerminal(.output) {
      throw Failure("a backup can't be shown on a terminal; redirect it to a file")
    }
    let progress = call.session.progress("backup")
    let bytes: [UInt8]
    do throws(ArchiveError) {
      let archive = try Archive(of: call.session.process.places) {
        progress.show(ShownName.text(of: $0), $1, of: $2)
      }
      bytes = try archive.checkedBytes()
    } catch {
      throw Failure(error.description)
    }
    progress.show("writing")
    if call.words[0] == "-" {
      try console.write(bytes, to: .output)
    } else {
      try console.replace(call.words[0], by: bytes, .ownerOnly)
    }
    return .success
  }
}
