import StrataDomains

/// Saves all domains of the user to one file, and restores them.
extension Verb {
  /// Saves all domains of the user to one file.
  static let backup = Verb(
    "backup",
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

  /// Restores all domains of the user from such a file.
  static let restore = Verb(
    "restore",
    forms: [
      Form(
        Operand(.file, "<archive>"),
        summary: "replaces all domains of the user with those of a backup")
    ],
    notes: [
      "Either all domains are replaced or none: an interrupted restore is completed by the next "
        + "program that uses the domains, before it reads anything. Domains that are not in the "
        + "archive are emptied. Running programs see the new values at once."
    ],
    run: Backup.restore)
}

private enum Backup {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let console = call.session.console
    let progress = Progress("backup", on: console)
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
      try console.replace(call.words[0], by: bytes)
    }
    return .success
  }

  static func restore(_ call: Call) throws(Failure) -> ExitCode {
    let console = call.session.console
    let path = call.words[0]
    let bytes = try console.read(path)
    let progress = Progress("restore", on: console)
    // The next program would have to complete an interrupted restoration, so avoid that.
    console.holdSignals()
    defer { console.releaseSignals() }
    do throws(ArchiveError) {
      let archive = try Archive(bytes)
      try Restoration.restore(archive, in: call.session.process.places) {
        progress.show(ShownName.text(of: $0), $1, of: $2)
      }
    } catch {
      throw Failure("cannot restore \(path == "-" ? "standard input" : path): \(error)")
    }
    return .success
  }
}
