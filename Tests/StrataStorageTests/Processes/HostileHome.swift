import Glibc
import StrataPropertyList

@testable import StrataStorage

/// A directory of one user who plants things in it, and beside it what belongs to another one.
final class HostileHome {
  /// Where something is planted.
  enum Spot: String, CaseIterable, Sendable {
    case plist, draft, hidden, journal, successor, holders, restore, restoring, directory
  }

  /// What is planted.
  enum Plant: String, CaseIterable, Sendable {
    case linkToSecret, linkToSame, linkToNothing, linkToDirectory, linkToPipe
    case secret, same, pipe, directory

    var isHardLink: Bool { self == .secret || self == .same }
  }

  static let user: UInt32 = 1234

  let place: Place
  let paths: StorePaths
  /// Who must not be harmed.
  let victim: UInt32
  private let treasure: String

  /// - Parameter mode: of the directory of the user who plants.
  init(against victim: UInt32 = 0, mode: mode_t = 0o755) throws {
    place = try Place()
    place.isLeftBroken = true
    self.victim = victim
    treasure = place.directory + "/treasure"
    paths = StorePaths(identifier: "com.example.place", in: place.directory + "/home/defaults")
    chmod(place.directory, 0o755)
    try makeTreasure()
    for path in [Path.directory(of: paths.directory), paths.directory] { mkdir(path, 0o755) }
    try place.overwrite(paths.plist, try foreignList(["theirs": 1]))
    chmod(paths.directory, mode)
    _ = try run("chown", "-R", "\(Self.user):\(Self.user)", place.directory + "/home")
    before = try state()
  }

  /// The victim's own domain, with a set that is pending, and files beside it.
  private func makeTreasure() throws {
    mkdir(treasure, 0o700)
    try place.overwrite(treasure + "/com.example.place.plist", try foreignList(["secret": 42]))
    let own = StorePaths(identifier: "com.example.place", in: treasure)
    let store = StorageProcess(on: SystemFileSystem(), isAutomatic: false).store(at: own)
    try store.set(.integer(43), forKey: "pending")
    try place.overwrite(treasure + "/file", Array("the secret text".utf8))
    try place.overwrite(treasure + "/.strata/restore", Array("the secret text".utf8))
    try place.overwrite(treasure + "/.strata/restoring", Array("the secret text".utf8))
    try place.overwrite(treasure + "/" + Path.name(of: draft), Array("the secret text".utf8))
    try place.overwrite(
      treasure + "/.strata/com.example.place.plist.journal.new", Array("the secret text".utf8))
    mkfifo(treasure + "/pipe", 0o600)
    _ = try run("chown", "-R", "\(victim):\(victim)", treasure)
  }

  /// A store as a process of this one's user has it that has just started.
  func store(on disk: any FileSystem = SystemFileSystem()) -> Store {
    StorageProcess(on: disk, isAutomatic: false).store(at: paths)
  }

  // -- Planting

  func path(of spot: Spot) -> String {
    switch spot {
    case .plist: paths.plist
    case .draft: draft
    case .hidden: paths.hidden
    case .journal: paths.journal
    case .successor: JournalDraft.path(paths.draftStem(continuing: nil), 1)
    case .holders: paths.lockFile
    case .restore: paths.hidden + "/restore"
    case .restoring: paths.hidden + "/restoring"
    case .directory: paths.directory
    }
  }

  /// The draft that lies there now, or one that never will.
  private var draft: String {
    let file = PlistFile(path: paths.plist, disk: SystemFileSystem())
    do throws(StorageError) {
      if let draft = try file.drafts().first { return draft }
    } catch {}  // the directory may be anything
    return file.draftPath(PlistDraft.Number(rawValue: 7), of: paths.plist)
  }

  /// What the victim has of that kind.
  private func same(as spot: Spot) -> String {
    spot == .directory ? treasure : treasure + path(of: spot).dropFirst(paths.directory.utf8.count)
  }

  /// Puts a plant in the place of whatever is there.
  func plant(_ plant: Plant, at spot: Spot) {
    let path = path(of: spot)
    let new = path + ".planted"
    switch plant {
    case .linkToSecret: symlink(treasure + "/file", new)
    case .linkToSame: symlink(same(as: spot), new)
    case .linkToNothing: symlink(treasure + "/nothing", new)
    case .linkToDirectory: symlink(treasure, new)
    case .linkToPipe: symlink(treasure + "/pipe", new)
    case .secret: link(treasure + "/file", new)
    case .same: link(same(as: spot), new)
    case .pipe: mkfifo(new, 0o600)
    case .directory: mkdir(new, 0o700)
    }
    if !plant.isHardLink { lchown(new, Self.user, Self.user) }
    if rename(new, path) != 0 {
      rename(path, path + ".away")
      rename(new, path)
    }
    rmdir(new)
    unlink(new)
  }

  // -- What must not have happened

  private var before: [String] = []

  /// All that can be told of the victim's files, but for how many names they have.
  private func state() throws -> [String] {
    let listing =
      try run(
        "find", treasure, "-printf", "%P %i %m %U %G %y %s %T@\\n") ?? "no listing"
    let content = try run("sh", "-c", "cd \(treasure) && find . -type f | xargs md5sum") ?? ""
    // What a name of a directory costs it is the time of the change only.
    return (listing + "\n" + content).split(separator: "\n").map(String.init).sorted()
  }

  /// What harm was done; nothing if none was.
  func harm(_ store: Store?) throws -> [String] {
    var harm: [String] = []
    let after = try state()
    if after != before {
      harm.append("changed: \(Set(after).symmetricDifference(before).sorted())")
    }
    let values = store?.snapshot().values ?? [:]
    if values["secret"] != nil || values["pending"] != nil { harm.append("read: \(values)") }
    let home = place.directory + "/home"
    let foreign = try run("find", home, "-links", "1", "-type", "f", "-uid", "\(victim)") ?? "?"
    if victim == 0, !foreign.isEmpty { harm.append("left behind: \(foreign)") }
    let leaked =
      try run(
        "sh", "-c",
        "find \(home) -links 1 -type f -print0 | xargs -0 grep -l -a -E 'secret|pending'; true")
      ?? "?"
    if !leaked.isEmpty { harm.append("leaked into: \(leaked)") }
    return harm
  }
}
