// Observers as they were written for Foundation, but for the import.
import StrataKVO

struct Key: RawRepresentable {
  let rawValue: String
}

/// The kind of observer that a wrapper hands out.
class ValueObserver: NSObject {
  let key: Key
  private var report: (Any, Any) -> Void

  init(key: Key, report: @escaping (Any, Any) -> Void) {
    self.report = report
    self.key = key
    super.init()
    UserDefaults.standard.addObserver(
      self, forKeyPath: key.rawValue, options: [.old, .new], context: nil)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard object is UserDefaults, keyPath == key.rawValue else { return }
    report(change?[.oldKey] as Any, change?[.newKey] as Any)
  }

  deinit {
    UserDefaults.standard.removeObserver(self, forKeyPath: key.rawValue, context: nil)
  }
}

@propertyWrapper
struct UserDefault<T> {
  let key: Key

  var wrappedValue: T? {
    get { UserDefaults.standard.value(forKey: key.rawValue) as? T }
    set { UserDefaults.standard.set(newValue, forKey: key.rawValue) }
  }

  var projectedValue: UserDefault<T> { self }

  func observe(change: @escaping (T?, T?) -> Void) -> NSObject {
    ValueObserver(key: key) { old, new in change(old as? T, new as? T) }
  }
}

/// The kind that registers itself, with a context.
class RulerObserver: NSObject {
  private(set) var count = 0
  private(set) var shows: Bool?

  func configureObserver() {
    let defaults = UserDefaults.standard
    defaults.addObserver(self, forKeyPath: "ShowLineNumbers", options: [.new, .old], context: nil)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard keyPath == "ShowLineNumbers" else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
      return
    }
    count += 1
    shows = change?[.newKey] as? Bool
  }
}
