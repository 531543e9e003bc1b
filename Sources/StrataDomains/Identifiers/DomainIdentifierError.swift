/// Why a text can't name a domain, and how to fix it.
package struct DomainIdentifierError: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case empty
    case holdsNUL
    /// The size of a path's last component in bytes of UTF-8.
    case tooLong(Int)
    /// An absolute path that does not name a file, such as `/` or `/tmp/..`.
    case namesNoFile
    /// A path in a set-user-ID process.
    case pathInSetUID
    /// A path as the name of an application's own domain.
    case pathOfApplication
    /// The global domain as the name of an application's own domain.
    case globalOfApplication
  }

  /// The rejected text.
  package let name: String
  package let reason: Reason

  package init(_ name: String, _ reason: Reason) {
    self.name = name
    self.reason = reason
  }
}

extension DomainIdentifierError: CustomStringConvertible {
  package var description: String {
    let mend = mend
    return "\(quotedName) can't name a domain: \(mend.fault); \(mend.advice)"
  }

  private var mend: (fault: String, advice: String) {
    switch reason {
    case .empty: ("it is empty", "use a name such as com.example.app")
    case .holdsNUL: ("it contains a NUL", "remove it")
    case .tooLong(let count):
      (
        "the name of the file is \(count) bytes long in UTF-8",
        "shorten it to at most \(EncodedName.sizeMax) bytes"
      )
    case .namesNoFile: ("the path does not name a file", "add the name of a property list")
    case .pathInSetUID:
      ("a set-user-ID program takes no path", "use a name such as com.example.app")
    case .pathOfApplication:
      ("an application's domain is separate for each user", "use a name such as com.example.app")
    case .globalOfApplication:
      ("all applications share this domain", "use a name such as com.example.app")
    }
  }

  /// The name in a form for one line of a log, whatever it contains and however long it is.
  private var quotedName: String {
    let scalars = name.unicodeScalars
    let start = String(String.UnicodeScalarView(scalars.prefix(Self.shownSize))).debugDescription
    return scalars.dropFirst(Self.shownSize).isEmpty ? start : start + "…"
  }

  private static let shownSize = 80
}
