/// The name of a domain, known to be one: what it is called and the file that it becomes.
///
/// No identifier names a file outside of the directory that it is put into, except one that is an
/// absolute path: that is exactly this file. Two identifiers are equal when their bytes are, not
/// when they look alike: on the disk they are two files.
package struct DomainIdentifier: Sendable {
  /// What the domain that all programs share is called.
  package static let global = DomainIdentifier(
    name: "NSGlobalDomain", fileName: ".GlobalPreferences", path: nil)

  /// The domain of a program of whose name nothing is known.
  static let unnamed = DomainIdentifier(name: "unnamed", fileName: "unnamed", path: nil)

  /// How many bytes a name may have, so that all files beside the plist file can have names, too.
  package static let nameSizeMax = 200

  /// What people call it: a name, or a path with its `.plist`.
  package let name: String
  /// What its file is called, without `.plist`; nothing for a path.
  package let fileName: String?
  /// The file that an absolute path names.
  package let path: String?

  /// The domain that a text names; a path only where the process has no more rights than the one
  /// who started it.
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

  /// Why a text can't be the name of a file beside others; nothing when it can.
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
