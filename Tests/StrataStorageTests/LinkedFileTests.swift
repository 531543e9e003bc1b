import Glibc
import StrataPropertyList
import Testing

@testable import StrataStorage

/// Property lists that are links to one file.
@Suite struct LinkedFileTests {
  // S-8
  @Test func `who loses what was pending since a file was written by another way is told`() throws {
    let target = try Place()
    try target.overwrite(target.plist, try foreignList(["old": 1]))
    let places = [try Place(), try Place()]
    for place in places { #expect(symlink(target.plist, place.plist) == 0) }
    let stores = places.map { $0.freshStore() }
    #expect(stores[0].integer(forKey: "old") == 1)
    try stores[1].set(.integer(2), forKey: "first")
    #expect(stores[1].flush() && stores[1].issues == [])
    // Nothing was pending: this is an edit like any other.
    #expect(holds(within: 600) { stores[0].snapshot().values.count == 2 })
    #expect(stores[0].issues == [])
    try stores[0].set(.integer(3), forKey: "pending")
    try stores[1].set(.integer(4), forKey: "second")
    #expect(stores[1].flush())
    #expect(holds(within: 600) { stores[0].integer(forKey: "second") == 4 })
    #expect(stores[0].value(forKey: "pending") == nil)
    #expect(stores[0].issues.contains { $0.text.contains("Use one path per file") })
    #expect(stores[1].issues == [])
    withExtendedLifetime((target, places)) {}
  }
}
