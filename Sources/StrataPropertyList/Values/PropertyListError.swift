/// An error that occurred while a property list was decoded or encoded.
///
/// `description` is a single line for people: what is wrong, where, and how to fix it.
public struct PropertyListError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of an error, for code that needs to distinguish them.
  public enum Kind: Sendable, Hashable {
    /// The bytes are not in the format, or in none of the known formats.
    case unknownFormat
    /// The bytes end in the middle of something.
    case truncated
    /// The bytes violate the rules of their format.
    case malformed
    /// The text is not valid in its encoding.
    case invalidText
    /// A number is invalid or does not fit into 64 bits.
    case invalidNumber
    /// A dictionary's key is not a string.
    case keyNotString
    /// Something that exists in the format but has no property-list form.
    case unsupported
    /// Arrays and dictionaries are nested more than 512 deep.
    case nestedTooDeep
    /// An array or a dictionary contains itself.
    case cycle
    /// Shared objects expand beyond the limit.
    case expandsTooFar
    /// The value can't be represented in the requested format.
    case notRepresentable
  }

  /// The kind of error.
  public var kind: Kind {
    get { details.kind }
    set { details.kind = newValue }
  }
  /// The position of the error in bytes from the start; 0 if a value was being encoded.
  public var offset: Int {
    get { details.offset }
    set { details.offset = newValue }
  }
  /// The line of the error, counted from 1, in a text format.
  public var line: Int? {
    get { details.line }
    set { details.line = newValue }
  }
  /// The column of the error in characters, counted from 1, in a text format.
  public var column: Int? {
    get { details.column }
    set { details.column = newValue }
  }
  /// What is wrong and how to fix it, without the position.
  public var reason: String {
    get { details.reason }
    set { details.reason = newValue }
  }

  private struct Details: Equatable {
    var kind: Kind
    var offset: Int
    var line: Int?
    var column: Int?
    var reason: String
  }

  /// One word: all readers pass errors on, and each has the code that copies them.
  private indirect enum Box: Equatable {
    case details(Details)
  }

  private var box: Box
  private var details: Details {
    get {
      switch box {
      case .details(let details): details
      }
    }
    set { box = .details(newValue) }
  }

  /// Creates an error at a byte offset and, in a text format, a line and a column.
  @inline(never)
  public init(
    _ kind: Kind, offset: Int, line: Int? = nil, column: Int? = nil, reason: String
  ) {
    box = .details(
      Details(kind: kind, offset: offset, line: line, column: column, reason: reason))
  }

  /// The reason with its position, such as `line 3, column 7: <integer> is empty; …`.
  public var description: String {
    if let line, let column { return "line \(line), column \(column): \(reason)" }
    if kind == .notRepresentable || kind == .unknownFormat { return reason }
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
    at(offset, .truncated, "the file ends in the middle of a value; restore it from a backup")
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
