import Foundation

/// An authority that signs certificates, made by `openssl` in a directory of its own.
final class Authority: Sendable {
  /// The paths of a certificate and its key, which are there as long as this is.
  struct Identity: Sendable {
    let certificate: String
    let key: String
    private let directory: TemporaryDirectory

    init(_ file: String, in directory: TemporaryDirectory) {
      certificate = directory(file + ".pem")
      key = directory(file + ".key")
      self.directory = directory
    }
  }

  let directory: TemporaryDirectory
  /// Of its own certificate.
  var path: String { directory("ca.pem") }

  init(_ name: String = "Authority") throws {
    directory = try TemporaryDirectory()
    try directory.write("", to: "index.txt")
    try directory.write(
      """
      [ca]
      default_ca = own
      [own]
      database = \(directory("index.txt"))
      new_certs_dir = \(directory.path)
      rand_serial = yes
      default_md = sha256
      policy = any
      unique_subject = no
      copy_extensions = copy
      [any]
      commonName = supplied
      """, to: "ca.conf")
    try Command.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-subj", "/CN=\(name)", "-days", "2", "-keyout", directory("ca.key"), "-out", path,
      ])
  }

  enum KeyKind: String, CaseIterable {
    case elliptic
    case rsa

    var arguments: [String] {
      switch self {
      case .elliptic: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
      case .rsa: ["-newkey", "rsa:2048"]
      }
    }
  }

  /// - Parameters:
  ///   - file: under which the two files are kept, if not under the name.
  ///   - host: for a server, its address.
  ///   - start: and `end`, relative to now, in seconds.
  func issue(
    _ name: String, as file: String? = nil, host: String? = nil, kind: KeyKind = .elliptic,
    from start: TimeInterval = -3_600, until end: TimeInterval = 86_400
  ) throws -> Identity {
    let file = file ?? name
    let identity = Identity(file, in: directory)
    let request = directory(file + ".csr")
    let isNumber = host?.allSatisfy { $0.isNumber || $0 == "." } ?? false
    let extensions = host.map {
      ["-addext", "subjectAltName=\(isNumber ? "IP" : "DNS"):\($0)"]
    }
    try Command.run(
      "openssl",
      ["req", "-new"] + kind.arguments + [
        "-nodes", "-subj", "/CN=\(name)", "-keyout", identity.key, "-out", request,
      ] + (extensions ?? []))
    try Command.run(
      "openssl",
      [
        "ca", "-batch", "-notext", "-config", directory("ca.conf"), "-cert", path,
        "-keyfile", directory("ca.key"), "-in", request, "-out", identity.certificate,
        "-startdate", Self.text(start), "-enddate", Self.text(end),
      ])
    return identity
  }

  private static func text(_ seconds: TimeInterval) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyyMMddHHmmss'Z'"
    return formatter.string(from: Date(timeIntervalSinceNow: seconds))
  }
}
