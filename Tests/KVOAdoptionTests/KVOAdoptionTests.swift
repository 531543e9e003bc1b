import Foundation
import StrataKVO
import Testing

/// Classes that override `observeValue`, with the import changed and nothing else.
@Suite struct KVOAdoptionTests {
  // Safety: set once in a process of its own, by its only thread.
  nonisolated(unsafe) private static var home: URL?

  /// A home directory for a process of its own, in which `standard` may be used; it goes with the
  /// process.
  private static func moveIn() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    Self.home = home
    // Before anything is set, so that it comes last at the exit.
    atexit { _ = KVOAdoptionTests.home.map { try? FileManager.default.removeItem(at: $0) } }
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    setenv("HOME", home.path, 1)
    unsetenv("XDG_CONFIG_HOME")
  }

  // O-1, W-5
  @Test func `a wrapper hands out observers that are told old and new`() async {
    await #expect(processExitsWith: .success) {
      try Self.moveIn()
      var flag = UserDefault<Bool>(key: Key(rawValue: "isFirstLaunch"))
      var heard: [String] = []
      var observation: NSObject? = flag.projectedValue.observe { old, new in
        heard.append("\(old.map(String.init) ?? "-") \(new.map(String.init) ?? "-")")
      }
      flag.wrappedValue = true
      flag.wrappedValue = true
      flag.wrappedValue = nil
      #expect(heard == ["- true", "true -"])
      #expect(observation != nil)
      observation = nil
      flag.wrappedValue = false
      #expect(heard.count == 2)
    }
  }

  // O-1
  @Test func `an observer that registers itself is told only of another value`() async {
    await #expect(processExitsWith: .success) {
      try Self.moveIn()
      let observer = RulerObserver()
      observer.configureObserver()
      UserDefaults.standard.set(true, forKey: "ShowLineNumbers")
      UserDefaults.standard.set(true, forKey: "ShowLineNumbers")
      #expect(observer.count == 1 && observer.shows == true)
      let others = NSMutableArray(array: [observer, Foundation.NSObject()])
      #expect(others.count == 2)
    }
  }
}
