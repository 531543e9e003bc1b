import Foundation
import StrataDefaults
import Testing

import class StrataDefaults.UserDefaults

/// What key-value coding offers on settings.
struct KeyValueCodingTests {
  private let defaults = UserDefaults.inMemory([
    "window": ["size": ["width": 3, "unit": "cm"] as [String: Any]], "window.title": "T", "a": 1,
  ])

  // W-20, O-8
  @Test func `a path is a key, or else leads into the dictionary of the longest key`() {
    #expect(defaults.value(forKeyPath: "window.title") as? String == "T")
    #expect(defaults.value(forKeyPath: "window.size.width") as? Int == 3)
    #expect((defaults.value(forKeyPath: "window") as? [String: Any])?.count == 1)
    for path in ["none", "window.none", "window.size.width.x", "a.b", "", ".", "window."] {
      #expect(defaults.value(forKeyPath: path) == nil, "\(path)")
    }
    defaults.set(["width": 7], forKey: "window.size")
    #expect(defaults.value(forKeyPath: "window.size.width") as? Int == 7)
    #expect(defaults.value(forKeyPath: "window.size.unit") == nil)
  }

  // W-20
  @Test func `a path in a subclass leads into what its object returns`() throws {
    final class Fixed: UserDefaults, @unchecked Sendable {
      override func object(forKey defaultName: String) -> Any? {
        defaultName == "outer" ? ["inner": ["x": 1]] as NSDictionary : nil
      }
    }
    let fixed = try #require(withTemporaryDefaults { Fixed(suiteName: nil) })
    #expect(fixed.value(forKeyPath: "outer.inner.x") as? Int == 1)
    #expect(fixed.value(forKeyPath: "inner.x") == nil)
  }

  // W-20
  @Test func `several values are set at once, and NSNull removes one`() {
    defaults.register(defaults: ["a": 9])
    defaults.setValuesForKeys(["a": NSNull(), "b": [1, 2], "c": "x"])
    #expect(defaults.integer(forKey: "a") == 9)
    #expect(defaults.array(forKey: "b") as? [Int] == [1, 2] && defaults.string(forKey: "c") == "x")
  }

  // W-20
  @Test func `several values are read at once, and NSNull stands for a missing one`() throws {
    let values = defaults.dictionaryWithValues(forKeys: ["a", "window.title", "none"])
    #expect(values.count == 3 && values["a"] as? Int == 1)
    #expect(values["window.title"] as? String == "T" && values["none"] is NSNull)
    defaults.setValuesForKeys(values)
    #expect(defaults.object(forKey: "none") == nil && defaults.integer(forKey: "a") == 1)
  }

  // W-20, O-3
  @Test func `calls around a change do not add notifications`() {
    let heard = Box<Int>()
    let observation = defaults.observe("a", as: Int.self) { heard.add($0.new ?? -1) }
    defaults.willChangeValue(forKey: "a")
    defaults.didChangeValue(forKey: "a")
    #expect(heard.count == 0)
    defaults.willChangeValue(forKey: "a")
    defaults.set(5, forKey: "a")
    defaults.didChangeValue(forKey: "a")
    #expect(heard.all == [5])
    observation.cancel()
  }

  // W-20
  @Test func `a change of a property has no indexes`() {
    let heard = Box<IndexSet?>()
    let observation = defaults.observe(\.numberOfA) { _, change in heard.add(change.indexes) }
    defaults.set(6, forKey: "a")
    #expect(heard.all == [nil])
    observation.invalidate()
  }

  // W-20
  @Test func `a number that was read is an argument of a format`() throws {
    let number = try #require(defaults.object(forKey: "a") as? any CVarArg)
    #expect(String(format: "%@ of %d", number, 3) == "1 of 3")
    defaults.set(1.5, forKey: "a")
    let real = try #require(defaults.object(forKey: "a") as? NSNumber)
    #expect(String(format: "%@", real) == "1.5")
  }
}

extension UserDefaults {
  var numberOfA: Int { integer(forKey: "a") }
}
