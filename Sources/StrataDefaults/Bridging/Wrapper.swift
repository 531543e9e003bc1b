import StrataPropertyList

/// A generic type of Swift's that a property list sees through: what counts is what is in it.
///
/// The types conform whatever they hold, so that no element is copied or cast before it is read.
/// `Wrapper` and `ObjectReader` name each other, as containers hold containers.
protocol Wrapper {
  func value(_ reader: ObjectReader, depth: Int) throws(BridgeError) -> PropertyListValue
}

extension Array: Wrapper {
  func value(_ reader: ObjectReader, depth: Int) throws(BridgeError) -> PropertyListValue {
    try reader.array(self, count: count, depth: depth)
  }
}

extension Dictionary: Wrapper {
  func value(_ reader: ObjectReader, depth: Int) throws(BridgeError) -> PropertyListValue {
    try reader.dictionary(lazy.map { ($0.key, $0.value) }, count: count, depth: depth)
  }
}

extension Optional: Wrapper {
  func value(_ reader: ObjectReader, depth: Int) throws(BridgeError) -> PropertyListValue {
    guard let wrapped = self else { throw BridgeError(.missing, "nil") }
    return try reader.value(of: wrapped, depth: depth)
  }
}

extension AnyHashable: Wrapper {
  func value(_ reader: ObjectReader, depth: Int) throws(BridgeError) -> PropertyListValue {
    try reader.value(of: base, depth: depth)
  }
}
