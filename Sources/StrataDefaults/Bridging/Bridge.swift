package import StrataPropertyList
import StrataStorage

/// Converts between `Any`, which callers pass and get, and `PropertyListValue`, which domains hold.
///
/// The conversion to objects is in `Bridge+Object.swift`, that of URLs in `URLBridge`.
package enum Bridge {
  /// The property-list value of `object`.
  ///
  /// A URL has none, unless `urls` is passed.
  package static func value(
    of object: Any, urls: URLBridge? = nil
  ) throws(BridgeError) -> PropertyListValue {
    try ObjectReader(urls: urls).value(of: object, depth: 0)
  }

  /// Throws unless a domain can hold a value for `key`.
  @inline(never)
  package static func check(key: String) throws(BridgeError) {
    guard let reason = Limits.refusal(key: key) else { return }
    throw BridgeError(.key(reason))
  }
}
