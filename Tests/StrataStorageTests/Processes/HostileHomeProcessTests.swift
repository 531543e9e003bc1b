import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// What is said of what others planted, and which links are followed.
@Suite(
  .enabled(if: geteuid() == 0, "only root can give files to other users"), .serialized, .waiting)
struct HostileHomeProcessTests {
  private func use(_ store: Store) throws {
    _ = store.value(forKey: "theirs")
    try store.set(.integer(2), forKey: "new")
    _ = store.synchronize()
    _ = store.flush()
    try store.set(.integer(3), forKey: "new")
    _ = store.flush()
  }

  // S-22
  @Test func `what is planted is refused with a text that says how to mend it`() throws {
    let texts: [(HostileHome.Plant, String)] = [
      (.linkToSame, "it is a link; remove it, or put a file in its place"),
      (.same, "it is a file with another hard link; replace it with a copy"),
      (.pipe, "it is not a regular file; remove it"),
    ]
    for (plant, text) in texts {
      let home = try HostileHome()
      try use(home.store())
      home.plant(plant, at: .journal)
      let store = home.store()
      try use(store)
      #expect(!store.synchronize())
      let issues = store.issues.map(\.description).joined(separator: "\n")
      #expect(issues.contains("could not open \(home.paths.journal): "), "\(plant): \(issues)")
      #expect(issues.contains(text), "\(plant): \(issues)")
      unlink(home.paths.journal)
      #expect(store.flush())
      #expect(try home.harm(store) == [])
    }
    let home = try HostileHome()
    try use(home.store())
    chown(home.paths.journal, 4321, 4321)
    let store = home.store()
    try use(store)
    #expect(
      store.issues.contains {
        $0.description.contains(
          "it belongs to user 4321, but its directory to user 1234; run chown 1234, or remove it")
      })
  }

  // S-12
  @Test func `links of one's own are followed, also into a store that is root's`() throws {
    let place = try Place()
    place.isLeftBroken = true
    chmod(place.directory, 0o755)
    let store = place.directory + "/store"
    let config = place.directory + "/home/config"
    for path in [store, place.directory + "/home", config] { mkdir(path, 0o755) }
    try place.overwrite(store + "/list", try foreignList(["A": 1]))
    chmod(store + "/list", 0o444)
    link(store + "/list", store + "/same")
    symlink(store + "/list", place.directory + "/first")
    symlink(place.directory + "/first", config + "/com.example.plist")
    symlink("config", place.directory + "/home/link")
    _ = try run("chown", "-hR", "4321:4321", place.directory + "/home")
    let plist = place.directory + "/home/link/com.example.plist"
    let probe = try Probe.serving(plist)
    #expect(try probe.ask("become 4321") == "ok")
    #expect(try probe.ask("get A") == "1")
    try probe.ask("set B 2")
    #expect(try probe.ask("sync") == "true")
    // Another user's link leads nowhere.
    unlink(config + "/com.example.plist")
    symlink(store + "/list", config + "/com.example.plist")
    lchown(config + "/com.example.plist", 1234, 1234)
    let other = try Probe.serving(plist)
    #expect(try other.ask("become 4321") == "ok")
    #expect(try other.ask("get A") == "nil")
    #expect(try other.ask("issues").contains("a link owned by user 1234"))
  }
}
