import Foundation
import StrataKVO
import Testing

private final class Editor: NSObject, @unchecked Sendable {
  let one = UserDefaults.inMemory(["Width": 1, "IsShown": true])
  let other = UserDefaults.inMemory(["Height": 2])

  var area: Int { one.integer(forKey: "Width") * other.integer(forKey: "Height") }
  /// Reads of one settings or the other, depending on a value.
  var shown: Int {
    one.bool(forKey: "IsShown") ? one.integer(forKey: "Width") : other.integer(forKey: "Height")
  }
}

private final class Heard: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  var all: [String] { lock.withLock { texts } }
  func add(_ text: String) { lock.withLock { texts.append(text) } }
}

/// Properties of any class, observed through the settings that they read.
@Suite struct ObservedObjectTests {
  private let editor = Editor()
  private let heard = Heard()

  private func observe(
    _ path: any KeyPath<Editor, Int> & Sendable,
    _ options: NSKeyValueObservingOptions = [.old, .new]
  ) -> NSKeyValueObservation {
    editor.observe(path, options: options) { [heard] _, change in
      heard.add("\(change.oldValue ?? -1) \(change.newValue ?? -1)")
    }
  }

  // W-20, O-1
  @Test func `a property of any object is observed by the keys of all settings it reads`() {
    let observation = observe(\.area)
    editor.one.set(3, forKey: "Width")
    editor.other.set(4, forKey: "Height")
    editor.other.set(9, forKey: "Width")
    editor.one.set(9, forKey: "Height")
    editor.one.set(3, forKey: "Width")
    #expect(heard.all == ["2 6", "6 12"])
    observation.invalidate()
    editor.one.set(5, forKey: "Width")
    #expect(heard.all.count == 2)
  }

  // W-20
  @Test func `the options say what is delivered, and whether the first value is`() {
    let observation = observe(\.area, [.initial, .new])
    editor.one.set(3, forKey: "Width")
    #expect(heard.all == ["-1 2", "-1 6"])
    observation.invalidate()
  }

  // W-20, O-1
  @Test func `a property of an object is observed by the keys that it reads now`() {
    let observation = observe(\.shown)
    editor.other.set(7, forKey: "Height")
    #expect(heard.all.isEmpty)
    editor.one.set(false, forKey: "IsShown")
    editor.one.set(5, forKey: "Width")
    editor.other.set(8, forKey: "Height")
    editor.one.set(true, forKey: "IsShown")
    editor.other.set(9, forKey: "Height")
    #expect(heard.all == ["1 7", "7 8", "8 5"])
    observation.invalidate()
  }

  // W-20, O-10
  @Test func `releasing the token ends the observation, and so does releasing the object`() {
    var observation: NSKeyValueObservation? = observe(\.area)
    #expect(observation != nil)
    observation = nil
    editor.one.set(3, forKey: "Width")
    #expect(heard.all.isEmpty)
    var released: Editor? = Editor()
    let settings = released?.one
    weak let weakly = released
    let token = released?.observe(\.area) { [heard] _, _ in heard.add("called") }
    released = nil
    #expect(weakly == nil && token != nil)
    settings?.set(9, forKey: "Width")
    #expect(heard.all.isEmpty)
  }

  // W-20, O-5
  @Test func `a closure may change what is observed, and is notified of that in between`() {
    let observation = editor.observe(\.area, options: .new) { [heard] editor, change in
      heard.add("\(change.newValue ?? -1)")
      if change.newValue == 6 { editor.other.set(5, forKey: "Height") }
    }
    editor.one.set(3, forKey: "Width")
    #expect(heard.all == ["6", "15"])
    observation.invalidate()
  }

}

/// Such properties, while many threads change what they read.
@Suite struct ObservedObjectConcurrencyTests {
  private let editor = Editor()
  private let heard = Heard()

  // W-20, O-5
  @Test func `of changes by many threads the last one is delivered, and each value once`() async {
    let observation = editor.observe(\.area, options: .new) { [heard] _, change in
      heard.add("\(change.newValue ?? -1)")
    }
    await withTaskGroup { group in
      for thread in 0..<4 {
        group.addTask { [editor] in
          for number in 1...50 {
            let settings = thread % 2 == 0 ? editor.one : editor.other
            settings.set(number + 50 * thread, forKey: thread % 2 == 0 ? "Width" : "Height")
          }
        }
      }
    }
    editor.one.set(1_000, forKey: "Width")
    editor.other.set(1_000, forKey: "Height")
    #expect(heard.all.last == "1000000")
    #expect(zip(heard.all, heard.all.dropFirst()).allSatisfy { $0 != $1 })
    observation.invalidate()
  }
}
