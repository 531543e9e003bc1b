import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults
@testable import StrataStorage

/// A home directory and a system directory for one test, and the `UserDefaults` of a program that
/// lives there.
final class DefaultsFixture: Sendable {
  static let identifier = "com.example.app"

  /// The home directory, and all that the test has on the disk.
  let directory: String
  let process: DomainProcess
  /// What is `standard` for the program.
  let defaults: UserDefaults

  /// - Parameters:
  ///   - system: the property lists in the system directory, by their paths from there, as in
  ///     `managed/com.example.app.plist`.
  ///   - directory: of another fixture, whose program this one is then, started anew.
  init(
    arguments: [String: PropertyListValue] = [:],
    system: [String: [String: PropertyListValue]] = [:], in directory: String? = nil
  ) throws {
    self.directory = try directory ?? Self.makeDirectory()
    let systemDirectory = self.directory + "/system"
    for (name, values) in system {
      try Self.write(values, to: systemDirectory + "/" + name)
    }
    let surroundings = ProcessSurroundings(
      environment: ["HOME": self.directory, "STRATA_SYSTEM_DIRECTORY": systemDirectory],
      userID: geteuid(),
      user: .known(
        UserRecord(id: geteuid(), group: getegid(), name: "someone", home: self.directory)),
      isSetUID: false, host: HostIdentifier(of: "a machine"), executableName: "program")
    let languages = MemoryStore(keys: LanguageDomain.forEachKey) {
      LanguageDomain.values(chosen: [], environment: ["LANG": "en_US.UTF-8"])
    }
    process = DomainProcess(
      surroundings, VolatileDomains(arguments: arguments, languages: languages))
    defaults = try Self.defaults(Self.identifier, of: process)
  }

  deinit {
    for finding in brokenDomains(below: directory) { Issue.record("\(finding)") }
  }

  /// Where the program's own domains are.
  var userDirectory: String { directory + "/.config/defaults" }

  /// The program's own property list.
  var plist: String { userDirectory + "/\(Self.identifier).plist" }

  /// A new object for a suite.
  func suite(_ name: String) throws -> UserDefaults { try Self.defaults(name, of: process) }

  static func defaults(_ name: String, of process: DomainProcess) throws -> UserDefaults {
    UserDefaults(on: process.stack(of: try DomainIdentifier(name, isSetUID: false)))
  }

  /// Brings what is pending to the property lists.
  func flush() {
    for store in StorageProcess.current.openStores
    where store.paths.directory.hasPrefix(directory + "/") {
      store.flush()
    }
  }

  // -- Files

  /// A list that nobody but its owner may write, in directories of that kind.
  static func write(_ values: [String: PropertyListValue], to path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let bytes = try PropertyList.encode(.dictionary(values), as: .binary)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private static func makeDirectory() throws -> String {
    let path = root + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// Holds the directories of all tests, and is gone when the process is: not before, because a
  /// store whose files are taken away makes them anew.
  private static let root: String = {
    atexit { DefaultsFixture.removeAll() }
    // Through `/tmp`'s real name: a link on the way to it is not what the tests are about.
    return URL(fileURLWithPath: "/tmp").resolvingSymlinksInPath().path
      + "/strata-test-" + UUID().uuidString
  }()

  private static func removeAll() {
    StorageProcess.current.flushAll()
    do {
      try FileManager.default.removeItem(atPath: root)
    } catch {
      print("could not remove \(root): \(error)")
    }
  }
}
