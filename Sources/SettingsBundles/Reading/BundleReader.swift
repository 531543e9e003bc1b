import StrataPropertyList
import StrataStorage

/// Reads a Settings bundle: as much of it as can be used, and what is wrong with the rest.
///
/// Nothing in a bundle is trusted: names lead to files in it only, links are not followed, and what
/// is too large or nested too deeply is left out.
package struct BundleReader: ~Copyable {
  package static let paneSizeMax = 32 << 20
  /// All files together.
  package static let sizeMax = 48 << 20
  package static let languagesMax = 256
  package static let panesMax = 256
  package static let depthMax = 32
  package static let itemsMax = 20_000

  private let folder: ReadOnlyFolder
  private var panes: [Pane] = []
  private var group: String?
  private var known: Set<String> = []
  /// The panes that led to the one that is being read, and it.
  private var trail: [String] = []
  private var problems: [Problem] = []
  private var bytesLeft = Self.sizeMax
  private var itemsLeft = Self.itemsMax

  /// - Throws: what is wrong if there is no root pane to show.
  package static func read(
    _ directory: String
  ) throws(Problem) -> (bundle: SettingsBundle, problems: [Problem]) {
    var reader = try BundleReader(directory)
    let root = SettingsBundle.rootName
    guard try reader.readPane(root) else { throw reader.problems[0] }
    let texts = reader.readTexts()
    return (
      SettingsBundle(panes: reader.panes, group: reader.group, texts: texts), reader.problems
    )
  }

  /// Whether a directory has a root pane, whatever is in that. One that can't be looked at may have
  /// one; reading it says what is wrong.
  package static func isBundle(_ directory: String) -> Bool {
    do throws(StorageError) {
      return try WholeFile(Path.join(directory, SettingsBundle.rootName + ".plist")).status() != nil
    } catch {
      return true
    }
  }

  private init(_ directory: String) throws(Problem) {
    do throws(StorageError) {
      folder = try ReadOnlyFolder(directory)
    } catch {
      throw Problem(directory, error.cause)
    }
  }

  // -- Panes

  /// - Returns: whether there is such a pane.
  private mutating func readPane(_ name: String) throws(Problem) -> Bool {
    let file = name + ".plist"
    guard let entries = dictionary(in: file) else { return false }
    guard case .array(let items)? = entries[PaneEntry.specifiers] else {
      note(Problem(file, "it has no array \(PaneEntry.specifiers) and is not a settings pane"))
      return false
    }
    known.insert(name)
    trail.append(name)
    defer { trail.removeLast() }
    if trail.count == 1 { group = group(of: entries, in: file) }
    let place = panes.count
    panes.append(
      Pane(
        name, title: text(PaneEntry.title, of: entries, in: file),
        table: table(of: entries, in: file), []))
    if items.count > itemsLeft {
      note(
        Problem(
          file, "a bundle has at most \(Self.itemsMax) items; those after \(itemsLeft) are left out"
        ))
    }
    let shown = items.prefix(itemsLeft)
    itemsLeft -= shown.count
    for (position, item) in shown.enumerated() {
      guard let specifier = try read(item, at: position, of: file) else { continue }
      panes[place].specifiers.append(specifier)
    }
    return true
  }

  private mutating func read(
    _ item: PropertyListValue, at position: Int, of file: String
  ) throws(Problem) -> Specifier? {
    guard case .dictionary(let entries) = item else {
      note(Problem(file, item: position, "it is not a dictionary"))
      return nil
    }
    var reader = SpecifierReader(entries, at: position, of: file)
    let specifier = reader.read()
    for problem in reader.problems { note(problem) }
    guard let specifier, case .pane(let child) = specifier.kind else { return specifier }
    return try canLead(to: child, at: position, of: file) ? specifier : nil
  }

  /// Reads the pane that an item leads to, if it was not read before.
  private mutating func canLead(
    to child: String, at position: Int, of file: String
  ) throws(Problem) -> Bool {
    if trail.contains(child) {
      let circle = (trail.drop { $0 != child } + [child]).joined(separator: " → ")
      note(Problem(file, item: position, "its panes form a cycle, \(circle); remove one of them"))
      return false
    }
    if known.contains(child) { return panes.contains { $0.name == child } }
    guard trail.count < Self.depthMax, known.count < Self.panesMax else {
      note(
        Problem(
          file, item: position,
          "it leads too deep: a bundle has at most \(Self.panesMax) panes, \(Self.depthMax) levels"
        ))
      return false
    }
    let count = problems.count
    if try readPane(child) { return true }
    // Tried once: each further item that leads there would repeat what is wrong with it.
    known.insert(child)
    if problems.count == count {
      note(Problem(file, item: position, "there is no pane \(child).plist"))
    }
    return false
  }

  // -- Files

  /// The dictionary in a file of the bundle; nil if it is missing, or (with a problem) unusable.
  private mutating func dictionary(in file: String) -> [String: PropertyListValue]? {
    do throws(StorageError) {
      guard let bytes = try folder.bytes(of: file, atMost: min(Self.paneSizeMax, bytesLeft)) else {
        if trail.isEmpty { note(Problem(file, "no such file")) }
        return nil
      }
      bytesLeft -= bytes.count
      return dictionary(of: bytes, file)
    } catch {
      note(Problem(file, error.cause))
      return nil
    }
  }

  private mutating func dictionary(
    of bytes: [UInt8], _ file: String
  ) -> [String: PropertyListValue]? {
    do throws(PropertyListError) {
      if case .dictionary(let entries) = try PropertyList.decode(bytes).value { return entries }
      note(Problem(file, "its top level is not a dictionary"))
    } catch {
      note(Problem(file, error.description))
    }
    return nil
  }

  private mutating func text(
    _ name: String, of entries: [String: PropertyListValue], in file: String
  ) -> String? {
    guard let value = entries[name] else { return nil }
    if let text = value.text { return text }
    note(Problem(file, "\(name) is not a string"))
    return nil
  }

  /// The suite that a bundle names: never a path, nor the domain of all programs.
  private mutating func group(
    of entries: [String: PropertyListValue], in file: String
  ) -> String? {
    guard let name = text(PaneEntry.group, of: entries, in: file) else { return nil }
    if FileNames.isIdentifier(name) { return name }
    note(
      Problem(
        file, "\(PaneEntry.group) \(name.debugDescription) is not the identifier of a suite"))
    return nil
  }

  private mutating func table(
    of entries: [String: PropertyListValue], in file: String
  ) -> String? {
    guard let name = text(PaneEntry.table, of: entries, in: file) else { return nil }
    if FileNames.isPlain(name) { return name }
    note(
      Problem(
        file, "\(PaneEntry.table) \(name.debugDescription) is not the name of a file in this bundle"
      ))
    return nil
  }

  // -- Texts

  private static let languageSuffix = ".lproj"

  private mutating func readTexts() -> Texts {
    var texts = Texts()
    let tables = Set(panes.map(\.table))
    for directory in languageDirectories() {
      let language = Path.stem(of: directory, ending: Self.languageSuffix) ?? directory
      for table in tables.sorted() {
        guard let found = readTable(table, in: directory) else { continue }
        texts.languages[language, default: [:]][table] = found
      }
    }
    return texts
  }

  private mutating func languageDirectories() -> [String] {
    do throws(StorageError) {
      let names = try folder.names().filter {
        Path.stem(of: $0, ending: Self.languageSuffix) != nil
      }.sorted()
      if names.count > Self.languagesMax {
        note(Problem(folder.path, "it has more than \(Self.languagesMax) languages"))
      }
      return Array(names.prefix(Self.languagesMax))
    } catch {
      note(Problem(folder.path, error.cause))
      return []
    }
  }

  private mutating func readTable(_ name: String, in directory: String) -> [String: String]? {
    let file = Path.join(directory, name + ".strings")
    var entries: [String: PropertyListValue] = [:]
    do throws(StorageError) {
      let language = try folder.folder(directory)
      let most = min(Self.paneSizeMax, bytesLeft)
      guard let bytes = try language.bytes(of: name + ".strings", atMost: most) else { return nil }
      bytesLeft -= bytes.count
      guard let found = dictionary(of: bytes, file) else { return nil }
      entries = found
    } catch {
      note(Problem(file, error.cause))
      return nil
    }
    var texts: [String: String] = [:]
    for (key, value) in entries {
      guard let text = value.text else {
        note(Problem(file, "the text of \(key.debugDescription) is not a string"))
        continue
      }
      texts[key] = text
    }
    return texts
  }

  /// How many problems are kept: a file of noise has one at each item.
  private static let problemsMax = 1_000

  private mutating func note(_ problem: Problem) {
    if problems.count < Self.problemsMax { problems.append(problem) }
  }
}
