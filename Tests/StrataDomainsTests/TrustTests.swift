import Foundation
import StrataDomains
import StrataStorage
import Testing

/// Which of an administrator's files count.
struct TrustTests {
  private func status(_ mode: UInt32, owner: UInt32, isRegular: Bool = true) -> FileStatus {
    var status = FileStatus()
    status.mode = mode
    status.owner = FileOwner(user: owner, group: 0)
    status.isRegular = isRegular
    return status
  }

  // D-27
  @Test func `a file counts only when it and its directory are an administrator's`() {
    for (fileOwner, directoryOwner) in [(0, 0), (0, 7), (7, 0), (7, 7), (8, 0)]
      as [(UInt32, UInt32)]
    {
      for (fileMode, directoryMode) in [
        (0o644, 0o755), (0o600, 0o700), (0o664, 0o755), (0o646, 0o755), (0o644, 0o775),
        (0o644, 0o1777),
      ] as [(UInt32, UInt32)] {
        for owners in [[0], [0, 7]] as [Set<UInt32>] {
          let isTrusted = Trust.isTrusted(
            file: status(fileMode, owner: fileOwner),
            directory: status(directoryMode, owner: directoryOwner, isRegular: false),
            owners: owners)
          let expected =
            owners.contains(fileOwner) && owners.contains(directoryOwner)
            && [0o644, 0o600].contains(fileMode) && [0o755, 0o700].contains(directoryMode)
          #expect(
            isTrusted == expected,
            "\(fileOwner) \(directoryOwner) \(fileMode) \(directoryMode) \(owners)")
        }
      }
    }
    #expect(
      !Trust.isTrusted(
        file: status(0o644, owner: 0, isRegular: false), directory: status(0o755, owner: 0),
        owners: [0]))
  }

  // D-27
  @Test func `the owner of a directory that replaces the system's is an administrator`() throws {
    let tree = try TemporaryTree()
    #expect(Trust(in: places(tree)).owners == [0, geteuid()])
    let usual = ProcessSurroundings(
      environment: [:], userID: 1, user: .known(nil), isSetUID: false,
      host: HostIdentifier(of: ""), executableName: "")
    #expect(Trust(in: Places(of: usual)).owners == [0])
    #expect(Trust(in: Places(of: usual)).systemDirectory == "/etc/defaults")
  }

  // D-27
  @Test func `files that are safe or not there are trusted`() throws {
    let tree = try TemporaryTree()
    #expect(try distrust(in: tree) == nil)
    try tree.write("", to: "managed/users/ada/app.plist")
    #expect(try distrust(in: tree) == nil)
    try tree.write("", to: "managed/users/ada/.strata/app.plist.journal")
    #expect(try distrust(in: tree) == nil)
  }

  // D-27
  @Test(
    arguments: [
      "", "/managed", "/managed/users", "/managed/users/ada", "/managed/users/ada/app.plist",
      "/managed/users/ada/.strata", "/managed/users/ada/.strata/app.plist.journal",
    ], [0o020, 0o002] as [mode_t])
  func `what others can write is ignored and the reason says how to mend it`(
    name: String, bit: mode_t
  ) throws {
    let tree = try TemporaryTree()
    try tree.write("", to: "managed/users/ada/app.plist")
    try tree.write("", to: "managed/users/ada/.strata/app.plist.journal")
    let path = tree.path + name
    chmod(path, 0o755 | bit)
    let distrust = try #require(try distrust(in: tree))
    #expect(distrust.path == path)
    #expect(distrust.reason == .writableByOthers)
    let plist = tree.path + "/managed/users/ada/app.plist"
    #expect(
      distrust.description
        == "\(plist) is ignored: \(path) is writable by others; run chmod go-w \(path)")
  }

  // D-27
  @Test func `a directory that others can write is ignored before a file is in it`() throws {
    let tree = try TemporaryTree()
    mkdir(tree.path + "/managed", 0o755)
    chmod(tree.path + "/managed", 0o777)
    #expect(try distrust(in: tree)?.path == tree.path + "/managed")
  }

  // D-27
  @Test(arguments: [
    "managed", "managed/users/ada", "managed/users/ada/app.plist", "managed/users/ada/.strata",
  ])
  func `a link is ignored wherever it leads`(name: String) throws {
    let tree = try TemporaryTree()
    let elsewhere = try TemporaryTree()
    try tree.write("", to: "managed/users/ada/app.plist")
    try tree.write("", to: "managed/users/ada/.strata/app.plist.journal")
    rename(tree.path + "/" + name, elsewhere.path + "/target")
    symlink(elsewhere.path + "/target", tree.path + "/" + name)
    let distrust = try #require(try distrust(in: tree))
    #expect(distrust.path == tree.path + "/" + name)
    #expect(distrust.reason == .link)
  }

  // D-27
  @Test func `what is no file is ignored`() throws {
    let tree = try TemporaryTree()
    try tree.write("", to: "managed/users/ada/app.plist/x")
    #expect(try distrust(in: tree)?.reason == .noFile)
  }

  // D-27
  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `a user can't forge a forced value`() throws {
    let tree = try TemporaryTree()
    try tree.write("", to: "managed/users/ada/app.plist")
    let parts = [
      "/managed/users/ada/app.plist", "/managed/users/ada", "/managed/users", "/managed",
    ]
    for part in parts {
      chown(tree.path + part, 4321, 0)
      #expect(try distrust(in: tree)?.path == tree.path + part)
      #expect(try distrust(in: tree)?.reason == .foreignOwner(4321))
    }
  }

  private func places(_ tree: TemporaryTree) -> Places {
    Places(
      of: ProcessSurroundings(
        environment: [Places.systemVariable: tree.path], userID: geteuid(),
        user: .known(UserRecord(id: geteuid(), group: 0, name: "ada", home: "/nowhere")),
        isSetUID: false,
        host: HostIdentifier(of: "machine"), executableName: "tool"))
  }

  private func distrust(in tree: TemporaryTree) throws -> Distrust? {
    let places = places(tree)
    let identifier = try DomainIdentifier("app", isSetUID: false)
    let stores = places.stores(of: identifier, in: .managedUser)
    return Trust(in: places).distrust(of: try #require(stores.first))
  }
}
