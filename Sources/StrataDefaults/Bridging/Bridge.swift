package import StrataPropertyList
import StrataStorage

/// The way between what callers hand over and get, `Any`, and what a domain holds,
/// `PropertyListValue`.
///
/// `Bridge+Object.swift` has the way back, `URLBridge` what is done with URLs.
package enum Bridge {
  /// The property-list value that `object` is.
  ///
  /// A URL is none, unless `urls` says how one is stored.
  package static func value(
    of object: Any, urls: URLBridge? = nil
  ) throws(BridgeError) -> PropertyListValue {
    try ObjectReader(urls: urls).value(of: object, depth: 0)
  }

  /// Throws unless a domain can hold a value for `key`.
  package static func check(key: String) throws(BridgeError) {
    guard let reason = Limits.refusal(key: key) else { return }
    throw BridgeError(.key(reason))
  }
}
