import Foundation
import Observation
import StrataDomains
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults
@testable import StrataStorage

/// Hundreds of settings in memory at once.
struct ManySuitesTests {
  /// All that a test of a program may do.
  @Sendable static func use(_ number: Int) async -> Bool {
    await withTemporaryDefaults(.inMemory(["Number": number])) {
      let defaults = UserDefaults.standard
      let heard = Box<Int>()
      let observation = defaults.observe("Number", as: Int.self) { heard.add($0.new ?? -1) }
      withObservationTracking {
        _ = defaults.theme
      } onChange: {
        heard.add(-2)
      }
      defaults.register(defaults: ["Theme": "light"])
      defaults.update("Number", default: 0) { $0 += 1 }
      await Task.yield()
      defaults.transaction { draft in
        for key in 0..<10 { draft["key\(key)"] = .integer(Int64(number)) }
      }
      defaults.addSuite(named: "com.example.shared")
      UserDefaults(suiteName: "com.example.shared")?.set(number, forKey: "Shared")
      await Task.yield()
      observation.cancel()
      return defaults.synchronize() && heard.all == [-2, number + 1]
        && defaults.integer(forKey: "key5") == number
        && defaults.integer(forKey: "Shared") == number
        && (defaults.persistentDomain(forName: UserDefaults.applicationIdentifier)?.count == 11)
    }
  }

  // W-16
  @Test func `five hundred at once share nothing and leave no file, thread or line`() async {
    await #expect(processExitsWith: .success) {
      let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      setenv("HOME", home.path, 1)
      unsetenv("XDG_CONFIG_HOME")
      let lines = Box<String>()
      UserDefaults.setLogHandler { lines.add($0) }
      let good = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<500 { group.addTask { await ManySuitesTests.use(number) } }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      guard good == 500 else { exit(1) }
      let files = try FileManager.default.subpathsOfDirectory(atPath: home.path)
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      guard files.isEmpty else { exit(3) }
      guard !open.contains(where: { $0.contains("inotify") }) else { exit(5) }
      // Last, because asking makes what is asked for.
      let process = StorageProcess.current
      guard process.openStores.isEmpty, !process.watcher.hasThread else { exit(2) }
      guard lines.count == 0 else { exit(4) }
      exit(0)
    }
  }
}
