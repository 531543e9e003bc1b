package import DefaultsCommand
package import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Where the store is: from options or, without, from the settings of the domain `strata.fleet`.
extension StoreLocation {
  static let domain = "strata.fleet"

  package init(_ call: Call) throws(Failure) {
    let settings = try FleetSettings(call.session)
    let given = call.values(of: .endpoint)
    let endpoints = given.isEmpty ? try settings.texts(.endpoints) : given
    guard !endpoints.isEmpty else { throw Self.unknown }
    for endpoint in endpoints { try Self.check(endpoint) }
    self.init(
      endpoints: endpoints,
      authority: try settings.text(call, .authority, .authority),
      certificate: try settings.text(call, .certificate, .certificate),
      key: try settings.text(call, .key, .key),
      user: try settings.text(call, .storeUser, .user))
    if let path = try settings.text(call, .passwordFile, .passwordFile) {
      password = try Self.password(path, call.session.console)
    }
    if user != nil, password == nil {
      throw Failure("a user of the store needs a password; name its file with --password-file")
    }
    if (certificate == nil) != (key == nil) {
      throw Failure("a certificate and its key belong together; use both --cert and --key")
    }
  }

  private static let unknown = Failure(
    "where the store is, is not known; use --endpoint https://HOST:PORT, or set it for all:\n"
      + "  defaults write \(domain) \(FleetSettings.Key.endpoints.rawValue) "
      + "-array https://HOST:2379")

  private static func check(_ endpoint: String) throws(Failure) {
    let isValid = ["https://", "http://"].contains {
      endpoint.hasPrefix($0) && endpoint.utf8.count > $0.utf8.count
    }
    guard isValid else {
      throw Failure(
        "\(ShownName.text(of: endpoint)) is not an endpoint; use https://HOST:PORT, or "
          + "http://HOST:PORT for a store without TLS")
    }
  }

  private static func password(
    _ path: String, _ console: any Console
  ) throws(Failure) -> String {
    let bytes = try console.read(path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("\(ShownName.text(of: path)) is not text in UTF-8")
    }
    let line = text.prefix { !$0.isNewline }
    guard !line.isEmpty else {
      throw Failure("\(ShownName.text(of: path)) has no password in its first line")
    }
    return String(line)
  }
}

/// The settings of the domain `strata.fleet`, as any program would find them.
struct FleetSettings {
  enum Key: String {
    case endpoints = "Endpoints"
    case authority = "CertificateAuthority"
    case certificate = "Certificate"
    case key = "Key"
    case user = "User"
    case passwordFile = "PasswordFile"
    case host = "Host"
  }

  private let stack: Stack

  init(_ session: Session) throws(Failure) {
    stack = session.process.stack(of: try session.domain(StoreLocation.domain).identifier)
  }

  /// What an option says or, without it, a setting.
  func text(
    _ call: Call, _ option: CommandOption, _ key: Key
  ) throws(Failure) -> String? {
    if let text = call.value(of: option) { return text }
    guard let value = try value(key) else { return nil }
    guard case .string(let text) = value, !text.isEmpty else { throw Self.wrong(key, "a string") }
    return text
  }

  /// Throws if a file that may have it can't be read: an agent must not take its host for another
  /// one, nor anybody one store for another.
  private func value(_ key: Key) throws(Failure) -> PropertyListValue? {
    for source in stack.sources() {
      guard case .file(let store)? = source.layer else { continue }
      do throws(StorageError) {
        if try store.knownValues(forKeys: [key.rawValue]) != [nil] { break }
      } catch {
        throw Failure(
          "\(key.rawValue) in the domain \(StoreLocation.domain) is not known; "
            + error.description)
      }
    }
    return stack.value(forKey: key.rawValue)
  }

  func texts(_ key: Key) throws(Failure) -> [String] {
    guard let value = try value(key) else { return [] }
    guard let texts = value.stringArrayValue else {
      throw Self.wrong(key, "an array of strings")
    }
    return texts
  }

  /// The settings by which a location is found, apart from a password.
  static func entries(_ location: StoreLocation) -> [String: PropertyListValue] {
    let values: [Key: PropertyListValue?] = [
      .endpoints: .array(location.endpoints.map { .string($0) }),
      .authority: location.authority.map { .string($0) },
      .certificate: location.certificate.map { .string($0) },
      .key: location.key.map { .string($0) },
      .user: location.user.map { .string($0) },
    ]
    let found = values.compactMap { key, value in value.map { (key.rawValue, $0) } }
    return Dictionary(found) { $1 }
  }

  private static func wrong(_ key: Key, _ kind: String) -> Failure {
    Failure(
      "\(key.rawValue) in the domain \(StoreLocation.domain) is not \(kind); see: "
        + "defaults explain \(StoreLocation.domain) \(key.rawValue)")
  }
}
