import Foundation
import StrataPropertyList
import Synchronization

/// Collects the reasons why values could not be decoded, since `init?(stored:)` only returns nil.
///
/// There is one for everything that is decoded of one value. A failure leaves its error here, and
/// the code that has to throw finds it by the stored value.
final class StoredFailures: Sendable {
  @TaskLocal private static var current: StoredFailures?
  private let last = Mutex<(stored: PropertyListValue, error: DecodingError)?>(nil)

  /// Decodes a stored value. Afterwards, the outer decoding can find the error.
  static func collect<Value>(
    of stored: PropertyListValue, _ body: () throws -> Value
  ) throws -> Value {
    guard let current else {
      return try $current.withValue(StoredFailures(), operation: body)
    }
    do {
      return try body()
    } catch let error as DecodingError {
      current.last.withLock { $0 = (stored, error) }
      throw error
    }
  }

  /// Records the error of an item, as the reason why the whole could not be decoded.
  static func record(
    _ item: PropertyListValue, as type: Any.Type, at key: StoredKey, of whole: PropertyListValue
  ) {
    guard let current else { return }
    let error = error(of: item, as: type, at: [key])
    current.last.withLock { $0 = (whole, error) }
  }

  /// The error to throw if `stored` could not be decoded.
  static func error(
    of stored: PropertyListValue, as type: Any.Type, at path: [any CodingKey]
  ) -> DecodingError {
    let known = current?.last.withLock { last in
      defer { last = nil }
      return last?.stored == stored ? last?.error : nil
    }
    if let known { return known.under(path) }
    let context = DecodingError.Context(
      codingPath: path, debugDescription: "what is stored is no \(type)")
    if stored == StoredNil.value { return .valueNotFound(type, context) }
    let isOfItsKind = isOfKind(stored, type) || isRawValue(stored, of: type)
    return isOfItsKind ? .dataCorrupted(context) : .typeMismatch(type, context)
  }

  /// Whether such values are stored as this kind, although this one is not valid.
  private static func isOfKind(_ stored: PropertyListValue, _ type: Any.Type) -> Bool {
    switch stored {
    case .integer, .unsigned, .real, .single: type is any FixedWidthInteger.Type
    case .string: type is UUID.Type
    default: false
    }
  }

  /// Whether it is a raw value, although of no case.
  private static func isRawValue(_ stored: PropertyListValue, of type: Any.Type) -> Bool {
    func isRead<Raw: RawRepresentable>(_: Raw.Type) -> Bool {
      (Raw.RawValue.self as? any StorableValue.Type)?.init(stored: stored) != nil
    }
    return (type as? any RawRepresentable.Type).map { isRead($0) } ?? false
  }
}

/// A coding key that no type declares: an element's index, an entry's name, or a superclass.
struct StoredKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }

  init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }

  static let parent = StoredKey(stringValue: "super")
}

extension DecodingError {
  /// The same error, with a path from further outside.
  func under(_ path: [any CodingKey]) -> DecodingError {
    func moved(_ context: Context) -> Context {
      Context(
        codingPath: path + context.codingPath, debugDescription: context.debugDescription,
        underlyingError: context.underlyingError)
    }
    switch self {
    case .keyNotFound(let key, let context): return .keyNotFound(key, moved(context))
    case .valueNotFound(let type, let context): return .valueNotFound(type, moved(context))
    case .typeMismatch(let type, let context): return .typeMismatch(type, moved(context))
    case .dataCorrupted(let context): return .dataCorrupted(moved(context))
    @unknown default: return self
    }
  }
}
