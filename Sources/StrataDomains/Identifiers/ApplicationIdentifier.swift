/// Which domain is the application's own, decided from what is known of the program.
package struct ApplicationIdentifier: Hashable, Sendable {
  /// The variable of the environment that names it.
  package static let variable = "STRATA_APPLICATION_ID"

  package let identifier: DomainIdentifier
  /// Candidates that could not be taken: what a log should say.
  package let refused: [DomainIdentifierError]

  /// The first of the bundle's identifier, the environment's (unless the one who made it has fewer
  /// rights than the process) and the executable's name that can name an application.
  ///
  /// What is empty counts as not there. An application can't be a file by path or the global
  /// domain: neither has a place of its own for each user and host.
  package static func decide(
    bundleIdentifier: String?, environment: String?, executableName: String, isSetUID: Bool
  ) -> ApplicationIdentifier {
    // Not as optionals: an array of those is a type that each process would have to make.
    let candidates = [bundleIdentifier ?? "", isSetUID ? "" : environment ?? "", executableName]
    var refused: [DomainIdentifierError] = []
    for candidate in candidates where !candidate.isEmpty {
      do {
        return ApplicationIdentifier(identifier: try identifier(candidate), refused: refused)
      } catch {
        refused.append(error)
      }
    }
    return ApplicationIdentifier(identifier: mended(executableName), refused: refused)
  }

  private static func identifier(
    _ candidate: String
  ) throws(DomainIdentifierError) -> DomainIdentifier {
    if candidate.utf8.first == UInt8(ascii: "/") {
      throw DomainIdentifierError(candidate, .pathOfApplication)
    }
    let identifier = try DomainIdentifier(candidate, isSetUID: true)
    if identifier == .global { throw DomainIdentifierError(candidate, .globalOfApplication) }
    return identifier
  }

  /// An identifier made from a name that is none: a program always has one.
  private static func mended(_ name: String) -> DomainIdentifier {
    var text = String.UnicodeScalarView()
    var size = 0
    for scalar in name.unicodeScalars.drop(while: { $0 == "." }) {
      size += UTF8.width(scalar)
      guard size <= DomainIdentifier.nameSizeMax else { break }
      text.append(scalar == "/" || scalar == "\0" ? "-" : scalar)
    }
    do {
      return try identifier(String(text))
    } catch {
      return .unnamed
    }
  }
}
