import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Where the system has no thread to give for a while.
@Suite struct ScarceThreadTests {
  private let directory = TemporaryDirectory()
  private let disk = LimitedDisk()

  private var paths: StorePaths { StorePaths(identifier: "scarce", in: directory.path) }

  private func stored() -> [String: PropertyListValue] {
    PlistFile(path: paths.plist, disk: SystemFileSystem()).read().values
  }

  // S-4, S-7
  @Test func `a set that finds no thread is in the property list when it returns`() throws {
    let store = StorageProcess(on: disk, isAutomatic: true).store(at: paths)
    disk.hasThreads = false
    for number in Int64(1)...3 {
      try store.set(.integer(number), forKey: "a")
      #expect(stored() == ["a": .integer(number)])
    }
    #expect(store.issues.map(\.kind) == [.shortage])
    #expect(store.synchronize())
    disk.hasThreads = true
    try store.set(.integer(4), forKey: "a")
    #expect(holds(within: 600) { stored() == ["a": .integer(4)] && store.issues == [] })
  }

  // O-6
  @Test func `a watch that finds no thread says so and begins once there is one`() throws {
    let store = StorageProcess(on: disk, isAutomatic: true).store(at: paths)
    disk.hasThreads = false
    let told = Guarded<PropertyListValue?>(nil)
    let watch = store.watch { changes in told.withLock { $0 = changes.last?.value } }
    #expect(store.issues.map(\.kind) == [.shortage])
    let other = StorageProcess(on: SystemFileSystem(), isAutomatic: false).store(at: paths)
    try other.set(.integer(1), forKey: "a")
    disk.hasThreads = true
    let isTold = holds(within: 600) {
      _ = store.value(forKey: "b")
      return told.withLock { $0 } == .integer(1)
    }
    #expect(isTold)
    #expect(store.issues == [])
    withExtendedLifetime(watch) {}
  }
}
