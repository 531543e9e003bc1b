/// Chooses the application's own domain from what is known about the program.
package enum ApplicationIdentifier {
  /// The environment variable that names it.
  package static let variable = "STRATA_APPLICATION_ID"

  /// The first that can name an application: the bundle's identifier, the environment's (ignored in
  /// a set-user-ID process), or the executable's name.
  ///
  /// An empty candidate is skipped. A path or the global domain can't name an application: neither
  /// has a place of its own for each user and host. Each candidate that is rejected is `refused`.
  package static func decide(
    bundleIdentifier: String?, environment: String?, executableName: String, isSetUID: Bool,
    refuse: (DomainIdentifierError) -> Void
  ) -> DomainIdentifier {
    func named(_ candidate: String) -> DomainIdentifier? {
      if candidate.isEmpty { return nil }
      do throws(DomainIdentifierError) {
        return try parse(candidate)
      } catch {
        refuse(error)
        return nil
      }
    }
    return named(bundleIdentifier ?? "") ?? named(isSetUID ? "" : environment ?? "")
      ?? named(fitted(executableName)) ?? .unnamed
  }

  /// The identifier of an application with this name.
  package static func parse(
    _ candidate: String
  ) throws(DomainIdentifierError) -> DomainIdentifier {
    if candidate.utf8.first == UInt8(ascii: "/") {
      throw DomainIdentifierError(candidate, .pathOfApplication)
    }
    let identifier = try DomainIdentifier(candidate, isSetUID: true)
    if identifier == .global { throw DomainIdentifierError(candidate, .globalOfApplication) }
    return identifier
  }

  /// An executable's name as a person would name its domain: without leading dots, as those of
  /// wrapped programs have, and short enough to be a file name.
  private static func fitted(_ name: String) -> String {
    if EncodedName.isPlain(name) { return name }
    var text = String.UnicodeScalarView()
    var size = 0
    for scalar in name.unicodeScalars.drop(while: { $0 == "." }) {
      size += UTF8.width(scalar)
      guard size <= EncodedName.sizeMax else { break }
      text.append(scalar == "/" || scalar == "\0" ? "-" : scalar)
    }
    return String(text)
  }
}
