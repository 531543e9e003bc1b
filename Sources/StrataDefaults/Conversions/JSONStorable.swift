import Foundation
public import StrataPropertyList

/// A `Codable` type that is stored as JSON in a text, and not as a dictionary.
///
/// ```swift
/// struct Layout: JSONStorable { var columns: Int }  // {"columns":3}
/// ```
public protocol JSONStorable: StorableValue, Codable {}

extension JSONStorable {
  /// The value that a text says in JSON; one that was stored as a dictionary is read, too.
  public init?(stored: PropertyListValue) {
    do {
      if case .string(let text) = stored {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
      } else {
        self = try StoredDecoder.decode(Self.self, from: stored)
      }
    } catch {
      return nil  // of another shape: who reads is told that it is no such value
    }
  }

  /// The value in JSON, keys in their order.
  public func stored() throws -> PropertyListValue? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .string(String(decoding: try encoder.encode(self), as: UTF8.self))
  }
}
