/// A valid name of a domain, and the file that it stands for.
///
/// An identifier never names a file outside its directory, unless it is an absolute path, which
/// names exactly that file. Identifiers are equal if their bytes are, not if they look alike: on
/// disk, those are two files.
package struct DomainIdentifier: Sendable {
  /// The domain that all programs share.
  package static let global = DomainIdentifier(
    name: "NSGlobalDomain", file: ".GlobalPreferences")

  /// The domain of a program whose name is unknown.
  static let unnamed = DomainIdentifier(name: "unnamed", file: "unnamed")

  /// The name shown to people: a name, or a path ending in `.plist`.
  package let name: String
  // Empty for a path. Not optional: to copy that, the runtime would have to make its type.
  private let file: String

  /// The name of its file, without `.plist`: `name` itself if it can be one; nil for a path.
  package var fileName: String? { file.isEmpty ? nil : file }
  /// The file, for an identifier that is an absolute path.
  package var path: String? { file.isEmpty ? name : nil }

  /// Parses the name of a domain, or a path, which is refused in a set-user-ID process.
  package init(_ text: String, isSetUID: Bool) throws(DomainIdentifierError) {
    if text.utf8.elementsEqual(Self.global.name.utf8) {
      self = .global
    } else if text.utf8.first == UInt8(ascii: "/") {
      let path = try Self.path(text, isSetUID: isSetUID)
      self.init(name: path, file: "")
    } else {
      if text.utf8.isEmpty { throw DomainIdentifierError(text, .empty) }
      if text.utf8.contains(where: { $0 == 0 }) { throw DomainIdentifierError(text, .holdsNUL) }
      self.init(name: text, file: EncodedName.fileName(of: text))
    }
  }

  /// Whether the name of its file holds only the beginning of the name.
  var isCut: Bool { fileName.map(EncodedName.isCut) ?? false }

  /// The file name that the domain had when only names with a `/`, a leading dot or more than 200
  /// bytes could not be file names; nil if it was the same, or is now that of another domain.
  var formerFileName: String? {
    let bytes = name.utf8
    guard let fileName, !fileName.utf8.elementsEqual(bytes), bytes.count <= EncodedName.sizeMax,
      bytes.first != UInt8(ascii: "."), !bytes.contains(UInt8(ascii: "/")),
      EncodedName.name(ofFile: name) == nil, !EncodedName.isCut(name)
    else { return nil }
    return name
  }

  private init(name: String, file: String) {
    self.name = name
    self.file = file
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
    if size > EncodedName.sizeMax { throw DomainIdentifierError(text, .tooLong(size)) }
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
