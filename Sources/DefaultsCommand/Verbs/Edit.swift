import StrataDomains
import StrataPropertyList
import StrataStorage

/// Opens a domain in an editor, and applies the changes.
extension Verb {
  static let edit = Verb(
    "edit",
    forms: [Form(.domain, summary: "opens domain as XML in $VISUAL or $EDITOR")],
    notes: [
      "Writes only the keys that were changed in the editor, so that changes made by programs in "
        + "the meantime are kept. If the text is not a valid property list, it is kept in its file "
        + "and nothing is changed."
    ],
    run: Edit.run)
}

private enum Edit {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let session = call.session
    let domain = try call.domain()
    let before = try session.values(of: domain)
    let text = try session.encode(.dictionary(writable(before, session)), as: .xml)
    // Decoded again: a value that XML does not preserve is not an edit.
    let shown = try values(in: text)
    let path = try makeFile(domain, text, session.console)
    let edited = try edit(path, text, session.console)
    let wanted = Difference(from: shown, to: edited)
    if !wanted.isEmpty { try merge(wanted, before, into: domain, path, session) }
    try session.console.remove(path)
    return .success
  }

  /// The values that XML can hold: one that it can't is no reason not to edit the others.
  private static func writable(
    _ values: [String: PropertyListValue], _ session: Session
  ) -> [String: PropertyListValue] {
    values.filter { key, value in
      if FormatObstacle.path(in: .dictionary([key: value]), for: .xml) == nil { return true }
      session.note(
        "warning: \(ShownName.text(of: key)) is left out, and stays as it is: XML can't hold it; "
          + "change it with defaults write")
      return false
    }
  }

  private static let nameMax = 60

  private static func makeFile(
    _ domain: NamedDomain, _ text: [UInt8], _ console: any Console
  ) throws(Failure) -> String {
    let directory = console.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    // A file's name has less room than a domain's.
    let name = String(decoding: Path.name(of: domain.shown).utf8.prefix(nameMax), as: UTF8.self)
    let path = Path.join(directory, "\(name)-\(number).plist")
    try console.replace(path, by: text, .ownerOnly)
    return path
  }

  /// Runs the editor and parses the text; if that fails, the file is kept, unless it is as it was.
  private static func edit(
    _ path: String, _ original: [UInt8], _ console: any Console
  ) throws(Failure) -> [String: PropertyListValue] {
    let editor =
      ["VISUAL", "EDITOR"].compactMap(console.environment).first { !$0.isEmpty } ?? "vi"
    while true {
      let code = try console.run("/bin/sh", ["-c", "\(editor) \"$@\"", editor, path])
      guard code == 0 else {
        let isKept = try keep(path, unlessIs: original, console)
        throw Failure(
          "the editor exited with code \(code); nothing was changed"
            + (isKept ? ", the text is kept in \(path)" : ""))
      }
      let text = try text(in: path, console)
      do throws(Failure) {
        return try values(in: text)
      } catch {
        let fault = "\(path): \(error.text ?? "")"
        try console.write(fault + "\n", to: .error)
        guard try console.asks("Edit it again? [Y/n] ", byDefault: true) == true else {
          throw Failure("Nothing was changed. The text is kept in \(path)")
        }
      }
    }
  }

  private static func text(
    in path: String, _ console: any Console
  ) throws(Failure) -> [UInt8] {
    do throws(Failure) {
      return try console.read(path)
    } catch {
      throw Failure("\(error.text ?? "")\nNothing was changed.")
    }
  }

  /// Whether the editor has left a text of its own; one that is as it was is removed.
  private static func keep(
    _ path: String, unlessIs original: [UInt8], _ console: any Console
  ) throws(Failure) -> Bool {
    let text: [UInt8]
    do throws(Failure) { text = try console.read(path) } catch { return false }
    if text == original { try console.remove(path) }
    return text != original
  }

  private static func values(in text: [UInt8]) throws(Failure) -> [String: PropertyListValue] {
    let value: PropertyListValue
    do throws(PropertyListError) {
      value = try PropertyList.decode(text).value
    } catch {
      throw Failure(error.description)
    }
    guard case .dictionary(let values) = value, text.contains(where: { $0 > 0x20 }) else {
      throw Failure("the top level is not a dictionary")
    }
    return values
  }

  /// Writes only what was edited, and reports the keys that others changed meanwhile.
  private static func merge(
    _ wanted: Difference, _ before: [String: PropertyListValue], into domain: NamedDomain,
    _ path: String, _ session: Session
  ) throws(Failure) {
    do throws(Failure) {
      var overwritten: [String] = []
      try session.change(domain) { (now) throws(Failure) in
        overwritten = []
        for (key, change) in KeySorting.sorted(wanted.changes)
        where now[key] != before[key] && now[key] != change.new {
          let value = try now[key].map { (value) throws(Failure) in try LineText.text(of: value) }
          let theirs = value.map { "changed to \($0)" } ?? "removed"
          overwritten.append("\(key) was \(theirs) in the meantime; your change was applied")
        }
        return ChangeSet(wanted.changes.map { Change(key: $0.key, value: $0.value.new) })
      }
      for line in overwritten { session.report(line) }
    } catch {
      throw Failure("\(error.text ?? "")\nThe text is kept in \(path)")
    }
  }
}
