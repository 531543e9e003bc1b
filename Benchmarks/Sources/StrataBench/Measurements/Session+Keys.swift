import CBench
import Foundation
import StrataDefaults

struct Window: Codable, StorableValue {
  var width = 640.0
  var height = 480.0
  var isOpen = true
}

struct Tabs: Codable, StorableValue {
  var titles = ["one", "two", "three"]
  var selected = 1
}

extension StrataDefaults.UserDefaults.Keys {
  static let showsLineNumbers = Key("ShowLineNumbers", default: false)
  static let window = Key("Window", default: Window())
  static let tabs = Key("Tabs", default: Tabs())
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
    defaults.tabs = Tabs()
    report.begin(
      "Reads by typed keys, one thread",
      "A Codable value is decoded once, and kept until another one is stored.")
    var race = Race(effort)
    var names: [String] = []
    let settings = Settings(defaults)
    // Inlined, so that each loop is one of its own, as a program would have it.
    @inline(__always) func add(_ name: String, _ read: @escaping () -> Int) {
      names.append(name)
      race.add(name) { operations in
        var sum = 0
        for _ in 0..<operations { sum += read() }
        bench_consume(UInt64(sum))
      }
    }
    add("bool(forKey:)") { defaults.bool(forKey: "ShowLineNumbers") ? 1 : 0 }
    add("defaults[.key]") { defaults[.showsLineNumbers] ? 1 : 0 }
    add("defaults.key") { defaults.showsLineNumbers ? 1 : 0 }
    add("@Default") { settings.showsLineNumbers ? 1 : 0 }
    add("Codable") { defaults[.window].isOpen ? 1 : 0 }
    add("Codable with an array") { defaults[.tabs].selected }
    let times = try race.run()
    report.addTimes("one key", names.map { ($0, times[$0]?.median ?? .nan) })
    let base = times[names[0]]?.median ?? .nan
    report.addNumbers(
      "– divided by bool(forKey:)",
      names.map { ($0, (times[$0]?.median ?? .nan) / base) })
  }
}
