import Foundation
import StrataPropertyList
import StrataStorage

/// Reads what a caller handed over as a property list; nothing in the result is shared with it.
///
/// What something is, is asked of its type: a cast would also find what it can be bridged to, so
/// that the number 1 would pass for `true`. `[UInt8]` is an array of numbers as any other, as it is
/// on Apple's platforms; bytes that are data come as `Data`.
struct ObjectReader {
  let urls: URLBridge?

  /// The value that `object` is, which lies inside of `depth` containers.
  func value(of object: Any, depth: Int) throws(BridgeError) -> PropertyListValue {
    let type = type(of: object)
    if type is AnyClass { return try value(ofInstance: object as AnyObject, depth: depth) }
    if let read = ScalarTypes.readers[ObjectIdentifier(type)] {
      guard let value = read(object) else {
        throw BridgeError(.integerTooLarge, String(describing: object))
      }
      return value
    }
    if let wrapper = object as? any Wrapper { return try wrapper.value(self, depth: depth) }
    if let url = object as? URL { return try value(of: url) }
    throw BridgeError(.type, String(describing: object))
  }

  /// The value that an instance of a class is: one of Foundation's, or none.
  private func value(
    ofInstance object: AnyObject, depth: Int
  ) throws(BridgeError) -> PropertyListValue {
    switch object {
    case let number as NSDecimalNumber: return PropertyListValue(number.decimalValue)
    case let number as NSNumber: return PropertyListValue(number)
    case let text as NSString: return .string(text as String)
    case let data as NSData: return .data([UInt8](Data(referencing: data)))
    case let date as NSDate: return .date(PropertyListDate(date as Date))
    case let items as NSArray:
      try ContainerCheck.check(items, depth: depth)
      return try array(items, count: items.count, depth: depth)
    case let items as NSDictionary:
      try ContainerCheck.check(items, depth: depth)
      let entries = items.lazy.map { ($0.key, $0.value) }
      return try dictionary(entries, count: items.count, depth: depth)
    case let url as NSURL:
      // The cast alone would lose what the URL is relative to.
      return try value(of: URL(string: url.relativeString, relativeTo: url.baseURL) ?? url as URL)
    default: throw BridgeError(.type, String(describing: object))
    }
  }

  private func value(of url: URL) throws(BridgeError) -> PropertyListValue {
    guard let urls else { throw BridgeError(.type, url.description) }
    return urls.value(of: url)
  }

  func array(
    _ items: some Sequence, count: Int, depth: Int
  ) throws(BridgeError) -> PropertyListValue {
    try check(depth: depth, of: "array")
    var values: [PropertyListValue] = []
    values.reserveCapacity(count)
    for item in items {
      do throws(BridgeError) {
        values.append(try value(of: item, depth: depth + 1))
      } catch {
        throw error.inside(.position(values.count))
      }
    }
    return .array(values)
  }

  func dictionary<Key, Item>(
    _ entries: some Sequence<(Key, Item)>, count: Int, depth: Int
  ) throws(BridgeError) -> PropertyListValue {
    try check(depth: depth, of: "dictionary")
    var values: [String: PropertyListValue] = [:]
    values.reserveCapacity(count)
    for (key, item) in entries {
      let name = try name(of: key)
      do throws(BridgeError) {
        let old = values.updateValue(try value(of: item, depth: depth + 1), forKey: name)
        if old != nil { throw BridgeError(.keysCoincide, "dictionary with the key \(name) twice") }
      } catch {
        throw error.inside(.key(name))
      }
    }
    return .dictionary(values)
  }

  private func name(of key: Any) throws(BridgeError) -> String {
    if let name = key as? String { return name }
    if let name = key as? Substring { return String(name) }
    throw BridgeError(.keyNotString, "dictionary with the key \(key)")
  }

  private func check(depth: Int, of container: String) throws(BridgeError) {
    if depth >= Limits.depthMax { throw BridgeError(.nestedTooDeep, container) }
  }
}
