/// A valid name of a domain, and the file that it stands for.
///
/// An identifier never names a file outside its directory, unless it is an absolute path, which
/// names exactly that file. Identifiers are equal if their bytes are, not if they look alike: on
/// disk, those are two files.
package struct DomainIdentifier: Sendable {
  /// The domain that all programs share.
  package static let global = DomainIdentifier(
    name: "NSGlobalDomain", fileName: ".GlobalPreferences", path: nil)

  /// The domain of a program whose name is unknown.
  static let unnamed = DomainIdentifier(name: "unnamed", fileName: "unnamed", path: nil)

  /// The maximum size of a name in bytes, which leaves room for the names of the files beside the
  /// plist.
  package static let nameSizeMax = 200

  /// The name shown to people: a name, or a path ending in `.plist`.
  package let name: String
  /// The name of its file, without `.plist`; nil for a path.
  package let fileName: String?
  /// The file, for an identifier that is an absolute path.
  package let path: String?

  /// Parses the name of a domain, or a path, which is refused in a set-user-ID process.
  package init(_ text: String, isSetUID: Bool) throws(DomainIdentifierError) {
    if text.utf8.elementsEqual(Self.global.name.utf8) {
      self = .global
    } else if text.utf8.first == UInt8(ascii: "/") {
      let path = try Self.path(text, isSetUID: isSetUID)
      self.init(name: path, fileName: nil, path: path)
    } else {
      if let fault = Self.fault(inName: text) { throw DomainIdentifierError(text, fault) }
      self.init(name: text, fileName: text, path: nil)
    }
  }

  /// Why a text can't be the name of a file in a directory of domains; nil if it can.
  static func fault(inName text: String) -> DomainIdentifierError.Reason? {
    let bytes = text.utf8
    if bytes.isEmpty { return .empty }
    if bytes.contains(0) { return .holdsNUL }
    if bytes.contains(UInt8(ascii: "/")) { return .holdsSlash }
    if bytes.first == UInt8(ascii: ".") { return .beginsWithDot }
    return bytes.count > nameSizeMax ? .tooLong(bytes.count) : nil
  }

  private init(name: String, fileName: String?, path: String?) {
    self.name = name
    self.fileName = fileName
    self.path = path
  }

  private static func path(
    _ text: String, isSetUID: Bool
  ) throws(DomainIdentifierError) -> String {
    if isSetUID { throw DomainIdentifierError(text, .pathInSetUID) }
    if text.utf8.contains(0) { throw DomainIdentifierError(text, .holdsNUL) }
    guard let path = AbsolutePath.resolved(text), path != "/" else {
      throw DomainIdentifierError(text, .namesNoFile)
    }
    let isComplete = path.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    let file = isComplete ? path : path + suffix
    let size = file.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.count - suffix.utf8.count
    if size > nameSizeMax { throw DomainIdentifierError(text, .tooLong(size)) }
    return file
  }

  private static let suffix = ".plist"
}

extension DomainIdentifier: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    FileName(left.name) == FileName(right.name)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(FileName(name)) }
}

extension DomainIdentifier: CustomStringConvertible {
  package var description: String { name }
}
