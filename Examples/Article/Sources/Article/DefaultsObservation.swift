import Foundation
import Strata

// As it was written, but for its superclass, which was NSObject.
class DefaultsObservation: KeyValueObserver {
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
