import Foundation
import SettingsBundles
import SettingsModel
import StrataDomains
import Testing

/// Where bundles are found.
struct BundleSearchTests {
  private let fixture: BundleFixture

  init() throws { fixture = try BundleFixture() }

  private func surroundings(isSetUID: Bool = false) -> ProcessSurroundings {
    let environment = [
      "HOME": fixture.directory + "/home", "XDG_DATA_HOME": fixture.directory + "/own",
      "XDG_DATA_DIRS": fixture.directory + "/a:relative:" + fixture.directory + "/b",
      "PATH": "relative:" + fixture.directory + "/empty:" + fixture.directory + "/bin",
    ]
    return ProcessSurroundings(
      environment: environment, userID: 1, user: .known(nil), isSetUID: isSetUID,
      host: HostIdentifier(of: "host"), executableName: "test")
  }

  private func install(_ title: String, in directory: String, _ name: String) throws {
    try fixture.write(
      "{ Title = \(title); PreferenceSpecifiers = (); }",
      to: "../\(directory)/defaults/\(name).bundle/Root.plist")
  }

  private func title(of name: String) throws -> String? {
    let identifier = try DomainIdentifier(name, isSetUID: false)
    return BundleSearch(surroundings()).find(identifier) { _, _ in }?.bundle.root?.title
  }

  // B-10
  @Test func `the user's bundle comes first, then those of the directories in their order`() throws
  {
    try install("b", in: "b", "com.example.app")
    #expect(try title(of: "com.example.app") == "b")
    try install("a", in: "a", "com.example.app")
    #expect(try title(of: "com.example.app") == "a")
    try install("own", in: "own", "com.example.app")
    #expect(try title(of: "com.example.app") == "own")
    #expect(try title(of: "com.example.other") == nil)
    let all = try BundleSearch(surroundings()).all()
    #expect(all.map(\.name) == ["com.example.app"])
    #expect(all.first?.path.contains("/own/") == true)
  }

  // B-10
  @Test func `a program that is not installed has its bundle beside it`() throws {
    try fixture.write(
      "{ Title = beside; PreferenceSpecifiers = (); }", to: "../bin/Settings.bundle/Root.plist")
    #expect(try title(of: "app") == nil)
    for directory in ["empty", "bin"] { try fixture.write("", to: "../\(directory)/app") }
    #expect(try title(of: "app") == nil)
    // What can't be run hides no program.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: fixture.directory + "/bin/app")
    #expect(try title(of: "app") == "beside")
    try install("installed", in: "b", "app")
    #expect(try title(of: "app") == "installed")
  }

  // B-10
  @Test func `a damaged bundle is reported and left out`() throws {
    try install("a", in: "a", "app")
    try fixture.write("{ damaged", to: "../own/defaults/app.bundle/Root.plist")
    var reports: [String] = []
    let found = BundleSearch(surroundings()).find(try DomainIdentifier("app", isSetUID: false)) {
      path, problem in
      reports.append("\(path): \(problem)")
    }
    #expect(found?.bundle.root?.title == "a")
    #expect(reports.count == 1)
    #expect(reports.first?.contains("/own/defaults/app.bundle: Root.plist: ") == true)
  }

  // B-10
  @Test func `a bundle that can't be looked at is reported, too`() throws {
    try install("a", in: "a", "app")
    try install("own", in: "own", "app")
    let root = fixture.directory + "/own/defaults/app.bundle/Root.plist"
    try FileManager.default.removeItem(atPath: root)
    try FileManager.default.createSymbolicLink(atPath: root, withDestinationPath: root)
    var reports: [String] = []
    let found = BundleSearch(surroundings()).find(try DomainIdentifier("app", isSetUID: false)) {
      path, problem in
      reports.append("\(path): \(problem)")
    }
    #expect(found?.bundle.root?.title == "a")
    #expect(reports.count == 1 && reports.first?.contains("app.bundle: Root.plist: ") == true)
  }

  // B-10
  @Test func `no name of a domain leads out of the directories`() throws {
    try fixture.write("{ PreferenceSpecifiers = (); }", to: "../evil.bundle/Root.plist")
    try install("x", in: "own", "y")
    for name in ["../../evil", "..", ".", fixture.directory + "/evil"] {
      #expect(try title(of: name) == nil)
    }
  }

  // B-10
  @Test func `a set-user-ID process does not trust the environment`() throws {
    let places = BundleSearch(surroundings(isSetUID: true)).places(
      of: try DomainIdentifier("app", isSetUID: false))
    #expect(places == ["/usr/local/share/defaults/app.bundle", "/usr/share/defaults/app.bundle"])
  }

  // B-10, D-8
  @Test func `names are told apart by their bytes`() throws {
    let names = ["a\u{600}", "caf\u{E9}", "cafe\u{301}"]
    for name in names { try install("t", in: "own", name) }
    let all = try BundleSearch(surroundings()).all().map { FileName($0.name) }
    #expect(Set(all) == Set(names.map { FileName($0) }))
  }
}
