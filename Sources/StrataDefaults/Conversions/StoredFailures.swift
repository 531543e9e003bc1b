import Foundation
import StrataPropertyList
import Synchronization

/// Why a value could not be read: `init?(stored:)` only says that it could not.
///
/// There is one for all that is decoded of one value. What failed leaves its error here, and who
/// has to throw one asks for it by what should have been read.
final class StoredFailures: Sendable {
  @TaskLocal private static var current: StoredFailures?
  private let last = Mutex<(stored: PropertyListValue, error: DecodingError)?>(nil)

  /// Decodes what is stored; an error can be asked for afterwards by whoever began before.
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

  /// Leaves the error of an item for whoever asks why the whole could not be read.
  static func record(
    _ item: PropertyListValue, as type: Any.Type, at key: StoredKey, of whole: PropertyListValue
  ) {
    guard let current else { return }
    let error = error(of: item, as: type, at: [key])
    current.last.withLock { $0 = (whole, error) }
  }

  /// The error to throw where `stored` could not be read.
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

  /// Whether it is what such values are stored as, but says none.
  private static func isOfKind(_ stored: PropertyListValue, _ type: Any.Type) -> Bool {
    switch stored {
    case .integer, .unsigned, .real, .single: type is any FixedWidthInteger.Type
    case .string: type is UUID.Type
    default: false
    }
  }

  /// Whether it is a raw value, but none of a value.
  private static func isRawValue(_ stored: PropertyListValue, of type: Any.Type) -> Bool {
    func isRead<Raw: RawRepresentable>(_: Raw.Type) -> Bool {
      (Raw.RawValue.self as? any StorableValue.Type)?.init(stored: stored) != nil
    }
    return (type as? any RawRepresentable.Type).map { isRead($0) } ?? false
  }
}

/// A key that no type declares: the place of an element, the name of an entry, a superclass.
struct StoredKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }

  init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }

  static let parent = StoredKey(stringValue: "super")
}

extension DecodingError {
  /// The error, as it is from further outside.
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
