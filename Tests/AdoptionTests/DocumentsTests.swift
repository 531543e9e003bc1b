import Foundation
import Testing

// The kinds of code that the documents of `UserDefaults` show, in a target that was adopted.

private struct Key: RawRepresentable, ExpressibleByStringLiteral {
  let rawValue: String
  init(rawValue: String) { self.rawValue = rawValue }
  init(stringLiteral text: String) { rawValue = text }
  static let isFirstLaunch: Key = "isFirstLaunch"
}

@propertyWrapper
private struct UserDefault<Value> {
  let key: Key
  var wrappedValue: Value? {
    get { UserDefaults.standard.value(forKey: key.rawValue) as? Value }
    set { UserDefaults.standard.set(newValue, forKey: key.rawValue) }
  }
  var projectedValue: Self { self }

  func observe(change: @escaping (Value?, Value?) -> Void) -> NSObject {
    DefaultsObservation(key: key) { old, new in change(old as? Value, new as? Value) }
  }
}

private final class DefaultsObservation: KeyValueObserver {
  let key: Key
  private var onChange: (Any, Any) -> Void

  init(key: Key, onChange: @escaping (Any, Any) -> Void) {
    self.onChange = onChange
    self.key = key
    super.init()
    UserDefaults.standard.addObserver(
      self, forKeyPath: key.rawValue, options: [.old, .new], context: nil)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard let change = change, object != nil, keyPath == key.rawValue else { return }
    onChange(change[.oldKey] as Any, change[.newKey] as Any)
  }

  deinit {
    UserDefaults.standard.removeObserver(self, forKeyPath: key.rawValue, context: nil)
  }
}

private struct Storage {
  @UserDefault<Bool>(key: .isFirstLaunch) var isFirstLaunch
}

// Safety: set once in a process of its own, by its only thread.
nonisolated(unsafe) private var temporaryHome: URL?

/// A home directory for a process of its own, in which `standard` may be used; it goes with the
/// process.
func moveIn() throws -> URL {
  let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  temporaryHome = home
  // Before anything is set, so that it comes last at the exit.
  atexit { _ = temporaryHome.map { try? FileManager.default.removeItem(at: $0) } }
  try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
  setenv("HOME", home.path, 1)
  unsetenv("XDG_CONFIG_HOME")
  return home
}

@Suite struct DocumentsTests {
  // W-5
  @Test func `values are registered from a property list and read by their types`() async {
    await #expect(processExitsWith: .success) {
      let home = try moveIn()
      let file = home.appending(path: "DefaultPreferences.plist")
      let list: [String: Any] = ["ShowTutorial": true, "FontSize": 12]
      try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        .write(to: file)
      let read = try PropertyListSerialization.propertyList(
        from: Data(contentsOf: file), options: [], format: nil)
      UserDefaults.standard.register(defaults: read as? [String: Any] ?? [:])
      guard UserDefaults.standard.bool(forKey: "ShowTutorial"),
        UserDefaults.standard.integer(forKey: "FontSize") == 12
      else { exit(1) }
      exit(0)
    }
  }

  // W-5
  @Test func `values that were set are got by another object`() async {
    await #expect(processExitsWith: .success) {
      _ = try moveIn()
      let defaults = UserDefaults()
      defaults.set(true, forKey: "ShowLineNumbers")
      defaults.set("Hello, World!", forKey: "TitleString")
      guard UserDefaults().bool(forKey: "ShowLineNumbers"),
        UserDefaults.standard.string(forKey: "TitleString") == "Hello, World!"
      else { exit(1) }
      exit(0)
    }
  }

  // W-5
  @Test func `a wrapper with typed keys keeps what is assigned`() async {
    await #expect(processExitsWith: .success) {
      _ = try moveIn()
      var storage = Storage()
      guard storage.isFirstLaunch == nil else { exit(1) }
      storage.isFirstLaunch = true
      guard Storage().isFirstLaunch == true else { exit(2) }
      storage.isFirstLaunch = nil
      guard Storage().isFirstLaunch == nil else { exit(3) }
      exit(0)
    }
  }

  // W-5, O-1
  @Test func `the wrapper's observer is told of what is assigned`() async {
    await #expect(processExitsWith: .success) {
      _ = try moveIn()
      var storage = Storage()
      storage.isFirstLaunch = true
      var heard: [Bool?] = []
      let observation = storage.$isFirstLaunch.observe { old, new in heard += [old, new] }
      storage.isFirstLaunch = false
      withExtendedLifetime(observation) {}
      exit(heard == [true, false] ? 0 : 1)
    }
  }
}
