import CBench
import Foundation
import StrataDefaults

struct Window: Codable, StorableValue {
  var width = 640.0
  var height = 480.0
  var isOpen = true
}

extension StrataDefaults.UserDefaults.Keys {
  static let showsLineNumbers = Key("ShowLineNumbers", default: false)
  static let window = Key("Window", default: Window())
}

/// Typed keys beside the accessors that have none.
extension Session {
  private struct Settings {
    @Default(.showsLineNumbers) var showsLineNumbers

    init(_ store: StrataDefaults.UserDefaults) {
      _showsLineNumbers = Default(.showsLineNumbers, store: store)
    }
  }

  func measureKeys() throws {
    guard let defaults = StrataDefaults.UserDefaults(suiteName: "bench-keys") else {
      throw BenchError("there is no UserDefaults for bench-keys")
    }
    defaults.showsLineNumbers = true
    defaults.window = Window()
    report.begin(
      "Reads by typed keys, one thread",
      "A Codable value is decoded once, and kept until another one is stored.")
    var race = Race(effort)
    let settings = Settings(defaults)
    let works: [(name: String, read: () -> Int)] = [
      ("bool(forKey:)", { defaults.bool(forKey: "ShowLineNumbers") ? 1 : 0 }),
      ("defaults[.key]", { defaults[.showsLineNumbers] ? 1 : 0 }),
      ("defaults.key", { defaults.showsLineNumbers ? 1 : 0 }),
      ("@Default", { settings.showsLineNumbers ? 1 : 0 }),
      ("Codable", { defaults[.window].isOpen ? 1 : 0 }),
    ]
    for (name, read) in works {
      race.add(name) { operations in
        var sum = 0
        for _ in 0..<operations { sum += read() }
        bench_consume(UInt64(sum))
      }
    }
    let times = try race.run()
    report.addTimes("one key", works.map { ($0.name, times[$0.name]?.median ?? .nan) })
    let base = times[works[0].name]?.median ?? .nan
    report.addNumbers(
      "– divided by bool(forKey:)",
      works.map { ($0.name, (times[$0.name]?.median ?? .nan) / base) })
  }
}
