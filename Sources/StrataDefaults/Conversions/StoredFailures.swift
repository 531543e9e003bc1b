import Foundation
import StrataPropertyList
import Synchronization

/// Collects the reasons why values could not be decoded, since `init?(stored:)` only returns nil.
///
/// There is one for everything that is decoded of one value. A failure leaves its error here, and
/// the code that has to throw finds it by the stored value.
final class StoredFailures: Sendable {
  @TaskLocal private static var current: StoredFailures?
  private let isExact: Bool
  private let last = Mutex<(stored: PropertyListValue, error: any Error)?>(nil)

  private init(isExact: Bool) { self.isExact = isExact }

  /// Whether a member of a value that is being decoded must be stored as its own type is: a text is
  /// no number then, and 1 is no Boolean.
  static var isExact: Bool { current?.isExact ?? false }

  /// Decodes a stored value. Afterwards, the outer decoding can find the error.
  ///
  /// What was encoded is decoded exactly: code that tries one type after the other, as for JSON of
  /// any shape, must find the one that it has encoded. Only a value that can't be decoded so is
  /// decoded once more, with what a command line or a person may have written.
  static func collect<Value>(
    of stored: PropertyListValue, _ body: () throws -> Value
  ) throws -> Value {
    guard let current else {
      do {
        return try $current.withValue(StoredFailures(isExact: true), operation: body)
      } catch {
        return try $current.withValue(StoredFailures(isExact: false), operation: body)
      }
    }
    do {
      return try body()
    } catch {
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
  ) -> any Error {
    let known = current?.last.withLock { last in
      defer { last = nil }
      return last?.stored == stored ? last?.error : nil
    }
    // One of the type's own is for whoever knows it.
    if let known { return (known as? DecodingError)?.under(path) ?? known }
    let context = DecodingError.Context(
      codingPath: path, debugDescription: "what is stored is no \(type)")
    if stored == StoredNil.value { return DecodingError.valueNotFound(type, context) }
    let isOfItsKind = isOfKind(stored, type) || isRawValue(stored, of: type)
    return isOfItsKind
      ? DecodingError.dataCorrupted(context) : DecodingError.typeMismatch(type, context)
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
