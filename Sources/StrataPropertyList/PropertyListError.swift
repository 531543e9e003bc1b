/// Why bytes could not be read as a property list, or a value could not be written as one.
///
/// `description` is one line for people: it names what is wrong, where, and what would mend it.
public struct PropertyListError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What went wrong, for code that wants to tell cases apart.
  public enum Kind: Sendable, Hashable {
    /// The bytes are in none of the known notations.
    case unknownFormat
    /// The bytes end in the middle of something.
    case truncated
    /// The bytes break the rules of their notation.
    case malformed
    /// The text is not valid in its encoding.
    case invalidText
    /// A number has no place in 64 bits or no meaning.
    case invalidNumber
    /// A dictionary's key is not a string.
    case keyNotString
    /// Something that exists in the notation but that a property list has no value for.
    case unsupported
    /// Arrays and dictionaries are nested more than 512 deep.
    case nestedTooDeep
    /// An array or a dictionary contains itself.
    case cycle
    /// Shared parts expand to more than the bound allows.
    case expandsTooFar
    /// The value cannot be said in the notation that was asked for.
    case notRepresentable
  }

  /// What went wrong.
  public var kind: Kind
  /// The position of the fault in bytes from the start; 0 where a value was being written.
  public var offset: Int
  /// The line of the fault from 1, in a text notation.
  public var line: Int?
  /// The column of the fault from 1 in characters, in a text notation.
  public var column: Int?
  /// What is wrong and what would mend it, without the position.
  public var reason: String

  /// An error of `kind` at a byte offset and, in a text notation, a line and a column.
  public init(
    _ kind: Kind, offset: Int, line: Int? = nil, column: Int? = nil, reason: String
  ) {
    self.kind = kind
    self.offset = offset
    self.line = line
    self.column = column
    self.reason = reason
  }

  /// The reason with its position, such as `line 3, column 7: <integer> is empty; …`.
  public var description: String {
    if let line, let column { return "line \(line), column \(column): \(reason)" }
    if kind == .notRepresentable { return reason }
    return "byte \(offset): \(reason)"
  }
}

extension PropertyListError {
  @inline(never)
  static func at(_ offset: Int, _ kind: Kind, _ reason: String) -> Self {
    Self(kind, offset: offset, reason: reason)
  }

  @inline(never)
  static func truncated(at offset: Int) -> Self {
    at(offset, .truncated, "the file ends in the middle of a value; restore it from a copy")
  }

  @inline(never)
  static func notRepresentable(_ reason: String) -> Self {
    at(0, .notRepresentable, reason)
  }

  @inline(never)
  static func nestedTooDeep(at offset: Int) -> Self {
    let limit = PropertyListLimits.nesting
    return at(
      offset, .nestedTooDeep,
      "arrays and dictionaries are nested more than \(limit) deep; flatten the value")
  }
}
