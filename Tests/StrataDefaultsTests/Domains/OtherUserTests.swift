import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// What root does in the files of another user.
@Suite(.enabled(if: geteuid() == 0, "only root may use another user's files"))
struct OtherUserTests {
  private enum Failure: Error { case isNoFile }

  private static let id: UInt32 = 65534
  private let fixture: DefaultsFixture
  private let home: String

  init() throws {
    fixture = try DefaultsFixture()
    home = fixture.directory + "/home"
    mkdir(home, 0o755)
    chown(home, Self.id, Self.id)
  }

  private func defaults(
    _ identifier: String = DefaultsFixture.identifier
  ) throws -> UserDefaults {
    let user = UserRecord(id: Self.id, group: Self.id, name: "other", home: home)
    let places = try #require(
      Places(userNamed: "other", in: fixture.process.surroundings) { $0 == "other" ? user : nil })
    let domain = try DomainIdentifier(identifier, isSetUID: false)
    return UserDefaults(on: fixture.process.stack(of: domain, in: places))
  }

  /// The files in the user's home that are not the user's.
  private func foreignFiles() throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: home)
    #expect(names.count > 3)
    return names.filter {
      var status = stat()
      // A draft may be gone again.
      guard lstat(home + "/" + $0, &status) == 0 else { return false }
      return status.st_uid != Self.id || status.st_gid != Self.id
    }
  }

  // D-9
  @Test func `root has the list of another user`() throws {
    let plist = home + "/.config/defaults/com.example.app.plist"
    try ListFile.write(["theirs": "1"], to: plist)
    for path in ["/.config", "/.config/defaults", "/.config/defaults/com.example.app.plist"] {
      chown(home + path, Self.id, Self.id)
    }
    fixture.defaults.set("1", forKey: "mine")
    #expect(try defaults().string(forKey: "theirs") == "1")
    #expect(try defaults().object(forKey: "mine") == nil)
    #expect(fixture.defaults.object(forKey: "theirs") == nil)
  }

  // D-9
  @Test func `what root makes for another user belongs to that user`() throws {
    let theirs = try defaults()
    guard case .file(let store) = theirs.stack.own else { throw Failure.isNoFile }
    let watch = store.watch { _ in }
    theirs.set("1", forKey: "key")
    #expect(try foreignFiles() == [])
    watch.cancel()
    #expect(theirs.synchronize())
    fixture.flush()
    theirs.set("2", forKey: "key")
    fixture.flush()
    #expect(try foreignFiles() == [])
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: home).contains {
        $0.hasSuffix("defaults/com.example.app.plist")
      })
    theirs.removePersistentDomain(forName: DefaultsFixture.identifier)
    try defaults("suite").set(1, forKey: "key")
    fixture.flush()
    #expect(try foreignFiles() == [])
  }

  // D-9, D-28
  @Test func `what root takes over for another user belongs to that user`() throws {
    try ListFile.write(["old": "1"], to: home + "/.config/com.example.app.plist")
    for name in [".config", ".config/com.example.app.plist"] {
      chown(home + "/" + name, Self.id, Self.id)
    }
    #expect(try defaults().string(forKey: "old") == "1")
    try defaults().set("2", forKey: "new")
    fixture.flush()
    #expect(try foreignFiles() == [])
    #expect(try defaults().string(forKey: "old") == "1")
  }

  // D-9
  @Test func `what was root's in another user's directory stays root's`() throws {
    let config = home + "/.config"
    mkdir(config, 0o755)
    try defaults().set("1", forKey: "key")
    let owner = try FileManager.default.attributesOfItem(atPath: config)[.ownerAccountID]
    #expect(owner as? NSNumber == 0)
  }

  // D-9, D-29
  @Test func `the values of a user without a home live in memory`() throws {
    rmdir(home)
    let theirs = try defaults()
    theirs.set("1", forKey: "key")
    #expect(try defaults().string(forKey: "key") == "1")
    #expect(!theirs.synchronize())
    #expect(!FileManager.default.fileExists(atPath: home))
  }
}
