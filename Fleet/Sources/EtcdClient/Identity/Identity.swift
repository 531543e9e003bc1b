import Glibc
import RevisionedStore

/// Who asks, by certificates, and whom we believe.
///
/// The library says of every mistake that it could not connect, so the files are read and checked
/// here.
struct Identity {
  let authority: PEMFile?
  let certificate: PEMFile?
  let key: PEMFile?
  private var authorities: [Certificate] = []
  private var own: Certificate?

  init(_ location: StoreLocation) throws(StoreError) {
    if (location.certificate == nil) != (location.key == nil) {
      let file = location.certificate ?? location.key ?? ""
      throw .certificate(
        "\(file): a certificate needs its key, and a key its certificate; give both")
    }
    authority = try Self.file(location.authority)
    certificate = try Self.file(location.certificate)
    key = try Self.file(location.key)
    if let authority { authorities = try authority.certificates() }
    guard let certificate, let key else { return }
    let own = try certificate.certificates()[0]
    let secret = try key.privateKey()
    self.own = own
    if let mine = own.key, let other = PublicKey(privateKey: secret.bytes[...]), mine != other {
      throw .certificate(
        "\(key.path) is not the key of \(certificate.path); give the one that it was issued for")
    }
  }

  private static func file(_ path: String?) throws(StoreError) -> PEMFile? {
    guard let path else { return nil }
    return try PEMFile(path)
  }

  /// Why a file can't be used now.
  ///
  /// - Parameter now: in seconds since 1970.
  func problem(at now: Int64) -> StoreError? {
    if let authority, let latest = authorities.max(by: { $0.end < $1.end }), latest.end < now {
      return .certificate(
        "\(authority.path) expired on \(Self.text(latest.end)); get the authority's new certificate"
      )
    }
    guard let own, let certificate else { return nil }
    if own.end < now {
      return .certificate("\(certificate.path) expired on \(Self.text(own.end)); renew it")
    }
    if own.start > now {
      return .certificate(
        "\(certificate.path) is valid only from \(Self.text(own.start)); correct this machine's "
          + "clock, which says \(Self.text(now)), or issue the certificate again")
    }
    return nil
  }

  /// Until when each file can be used.
  var certificates: [CertificateStatus] {
    var found: [CertificateStatus] = []
    if let certificate, let own {
      found.append(CertificateStatus(file: certificate.path, end: own.end))
    }
    // Of several authorities, one is enough.
    if let authority, let end = authorities.map(\.end).max() {
      found.append(CertificateStatus(file: authority.path, end: end))
    }
    return found
  }

  /// Whether our certificate was issued by an authority that we believe, in its own words.
  var isIssuedByAuthority: Bool {
    guard let own else { return false }
    return authorities.contains { $0.subject == own.issuer }
  }

  /// In UTC, such as `2026-11-25T08:30:00Z`.
  private static func text(_ seconds: Int64) -> String {
    var seconds = time_t(seconds)
    var fields = tm()
    guard gmtime_r(&seconds, &fields) != nil else { return "\(seconds)" }
    // Safety: at most `capacity` bytes are written, and as many as are returned are read.
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%SZ", &fields)
      }
    }
  }
}
