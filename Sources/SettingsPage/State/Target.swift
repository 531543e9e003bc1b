import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataStorage

/// What a page is opened for: a domain, and its bundle if it has one.
struct Target {
  let identifier: DomainIdentifier
  let bundle: SettingsBundle?
  let bundlePath: String?
  let problems: [String]

  /// - Parameter name: a domain, or the path of a bundle.
  init(_ typed: String, _ surroundings: ProcessSurroundings) throws(SettingsError) {
    // As completion writes the path of a directory.
    var name = typed
    while name.utf8.count > 1, name.utf8.last == UInt8(ascii: "/") { name.removeLast() }
    let isPath =
      name.utf8.contains(UInt8(ascii: "/")) || Path.stem(of: name, ending: ".bundle") != nil
    if isPath, BundleReader.isBundle(name) {
      try self.init(bundle: name, surroundings)
    } else {
      try self.init(domain: name, surroundings)
    }
  }

  private init(bundle path: String, _ surroundings: ProcessSurroundings) throws(SettingsError) {
    let found: (bundle: SettingsBundle, problems: [Problem])
    do throws(Problem) {
      found = try BundleReader.read(path)
    } catch {
      throw SettingsError("\(path): \(error)")
    }
    let file = Path.name(of: path)
    let name = Path.stem(of: file, ending: ".bundle") ?? file
    if name == Self.besideProgram, found.bundle.group == nil {
      throw SettingsError(
        "\(path): this name says no domain; open the domain of the program beside it, or a copy "
          + "of the bundle that is named after the domain")
    }
    identifier = try Self.identifier(found.bundle.group ?? name, surroundings)
    bundle = found.bundle
    bundlePath = path
    problems = found.problems.map(\.description)
  }

  private init(domain name: String, _ surroundings: ProcessSurroundings) throws(SettingsError) {
    let identifier = try Self.identifier(name, surroundings)
    var problems: [String] = []
    let found = BundleSearch(surroundings).find(identifier) { problems.append("\($0): \($1)") }
    if let group = found?.bundle.group {
      self.identifier = try Self.identifier(group, surroundings)
    } else {
      self.identifier = identifier
    }
    bundle = found?.bundle
    bundlePath = found?.path
    self.problems = problems + (found?.problems.map(\.description) ?? [])
  }

  /// What a bundle beside a program is called, whatever its domain is.
  private static let besideProgram = "Settings"

  private static func identifier(
    _ name: String, _ surroundings: ProcessSurroundings
  ) throws(SettingsError) -> DomainIdentifier {
    do throws(DomainIdentifierError) {
      return try DomainIdentifier(name, isSetUID: surroundings.isSetUID)
    } catch {
      throw SettingsError("\(error)")
    }
  }
}

/// Why settings can't be shown.
public struct SettingsError: Error, Sendable, CustomStringConvertible {
  /// The reason, for people.
  public let description: String

  /// An error with this reason.
  public init(_ description: String) { self.description = description }
}
