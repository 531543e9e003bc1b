import Foundation
public import StrataPropertyList

/// A `Codable` type that is stored as JSON in a text, and not as a dictionary.
///
/// ```swift
/// struct Layout: JSONStorable { var columns: Int }  // {"columns":3}
/// ```
public protocol JSONStorable: StorableValue, Codable {}

extension JSONStorable {
  /// Decodes a text in JSON, or a value that was stored as a dictionary.
  public init?(stored: PropertyListValue) {
    do {
      if case .string(let text) = stored {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
      } else {
        self = try StoredDecoder.decode(Self.self, from: stored)
      }
    } catch {
      return nil  // of another shape, which the reader reports as a mismatch
    }
  }

  /// The value in JSON, with sorted keys.
  public func stored() throws -> PropertyListValue? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .string(String(decoding: try encoder.encode(self), as: UTF8.self))
  }
}
