import Foundation
import RevisionedStore
import Testing

@testable import EtcdClient

/// Certificates that don't fit, with a real etcd.
struct EtcdCertificateTests {
  // M-4
  @Test func `a certificate that is not valid now is an error that says until when it was`()
    async throws
  {
    let authority = try Authority()
    // Nobody is there: that would be another error.
    func location(_ identity: Authority.Identity) throws -> StoreLocation {
      StoreLocation(
        endpoints: ["https://127.0.0.1:\(try FreePort.find())"], authority: authority.path,
        certificate: identity.certificate, key: identity.key)
    }
    let old = try authority.issue("old", from: -7_200, until: -60)
    let early = try authority.issue("early", from: 3_600)
    let expired = await readingError(try location(old))
    #expect(expired.isCertificate("\(old.certificate) expired on 20", "renew"), "\(expired as Any)")
    let unborn = await readingError(try location(early))
    #expect(unborn.isCertificate("\(early.certificate) is valid only from 20", "clock"))
    // A watch says the same.
    let store = try EtcdStore(location(old))
    let watched = await error { () async throws(StoreError) in
      try await store.watch([.key("a")], after: 1) { _ in }
    }
    #expect(watched == expired)
    let status = await store.memberStatuses().first?.health
    #expect(status == expired.map { .failure($0) })
  }

  // M-8
  @Test func `it is said until when certificates are valid, also of renewed ones`() async throws {
    let authority = try Authority()
    let own = try authority.issue("own", as: "file", until: 7_200)
    let store = try EtcdStore(
      StoreLocation(
        endpoints: ["https://127.0.0.1:\(try FreePort.find())"], authority: authority.path,
        certificate: own.certificate, key: own.key))
    func ends() -> [String: Double] {
      let now = Date().timeIntervalSince1970
      return Dictionary(
        store.certificates().map { ($0.file, ((Double($0.end) - now) / 3_600).rounded()) }
      ) { $1 }
    }
    #expect(ends() == [own.certificate: 2, authority.path: 48])
    _ = try authority.issue("own", as: "file", until: 36_000)
    // Renewed files are read when the store is asked something.
    _ = await store.memberStatuses()
    #expect(ends() == [own.certificate: 10, authority.path: 48])
    #expect(try EtcdStore(StoreLocation(endpoints: ["http://a:1"])).certificates() == [])
  }

  // M-4
  @Test(arguments: Authority.KeyKind.allCases)
  func `a key that does not fit is found in the files`(kind: Authority.KeyKind) async throws {
    let authority = try Authority()
    let own = try authority.issue("own", kind: kind)
    for (name, otherKind) in [("a", Authority.KeyKind.elliptic), ("b", .rsa)] {
      let other = try authority.issue(name, kind: otherKind)
      let found = await readingError(
        StoreLocation(
          endpoints: ["https://127.0.0.1:1"], authority: authority.path,
          certificate: own.certificate, key: other.key))
      #expect(
        found.isCertificate("\(other.key) is not the key of \(own.certificate)"), "\(found as Any)")
    }
  }

  // M-4
  @Test(arguments: Authority.KeyKind.allCases)
  func `keys in the older form are used, and compared as well`(
    kind: Authority.KeyKind
  ) async throws {
    let authority = try Authority()
    let (own, other) = (
      try authority.issue("own", kind: kind), try authority.issue("other", kind: kind)
    )
    let old = authority.directory("old.key")
    let program = kind == .rsa ? "rsa" : "ec"
    let more = kind == .rsa ? ["-traditional"] : []
    try Command.run("openssl", [program, "-in", own.key, "-out", old] + more)
    func location(_ certificate: String) -> StoreLocation {
      StoreLocation(
        endpoints: ["https://127.0.0.1:1"], authority: authority.path, certificate: certificate,
        key: old)
    }
    _ = try EtcdStore(location(own.certificate))
    #expect(await readingError(location(other.certificate)).isCertificate("\(old) is not the key"))
  }

  // M-4
  @Test func `files that can't be used are errors that name them`() async throws {
    let authority = try Authority()
    let own = try authority.issue("own")
    let directory = authority.directory
    let noise = try directory.write("once upon a time\n", to: "noise")
    let damaged = try directory.write(
      "-----BEGIN CERTIFICATE-----\nMIIBaaaa\n-----END CERTIFICATE-----\n", to: "damaged.pem")
    let locked = directory("locked.key")
    try Command.run(
      "openssl", ["pkey", "-in", own.key, "-aes256", "-passout", "pass:secret", "-out", locked])
    func found(
      _ authority: String, _ certificate: String?, _ key: String?
    ) async -> StoreError? {
      await readingError(
        StoreLocation(
          endpoints: ["https://127.0.0.1:1"], authority: authority, certificate: certificate,
          key: key))
    }
    let missing = directory("missing.pem")
    #expect(await found(missing, nil, nil).isCertificate(missing, "No such file or directory"))
    let large = try directory.write(String(repeating: "-", count: 1 << 21), to: "large.pem")
    #expect(await found(large, nil, nil).isCertificate(large, "larger than a megabyte"))
    #expect(await found("/dev/zero", nil, nil).isCertificate("/dev/zero", "a megabyte"))
    #expect(await found(authority.path, missing, own.key).isCertificate(missing))
    #expect(await found(authority.path, own.certificate, missing).isCertificate(missing))
    #expect(await found(directory.path, nil, nil).isCertificate(directory.path))
    #expect(await found(noise, nil, nil).isCertificate(noise, "not a PEM file"))
    #expect(await found(own.key, nil, nil).isCertificate(own.key, "has no certificate"))
    #expect(await found(damaged, nil, nil).isCertificate(damaged, "damaged"))
    #expect(
      await found(authority.path, own.certificate, own.certificate)
        .isCertificate(own.certificate, "no private key"))
    #expect(
      await found(authority.path, own.certificate, locked).isCertificate(locked, "password"))
    #expect(await found(authority.path, own.certificate, nil).isCertificate("give both"))
  }

  // M-4
  @Test func `a server that refuses our certificate is an error that names the file`()
    async throws
  {
    let encrypted = try await EncryptedServer()
    try await encrypted.ready()
    let endpoint = encrypted.server.endpoint
    let other = try Authority("Other").issue("host")
    let foreign = await readingError(encrypted.location(other))
    #expect(foreign.isCertificate(endpoint, other.certificate, encrypted.authority.path))
    let nobody = await readingError(encrypted.location(nil))
    #expect(nobody.isCertificate(endpoint, "give one with its key"), "\(nobody as Any)")
    let plain = await readingError(
      StoreLocation(endpoints: [endpoint.replacing("https:", with: "http:")]))
    guard case .unavailable(let text) = plain, text.contains("begins with https://") else {
      Issue.record("\(plain as Any)")
      return
    }
  }

  // M-4
  @Test func `a server whose certificate is not to be believed is not asked`() async throws {
    let other = try Authority("Other")
    let good = try await EncryptedServer()
    try await good.ready()
    let own = try good.authority.issue("own")
    let found = await readingError(good.location(own, authority: other), .long)
    #expect(found.isCertificate(good.server.endpoint, "not signed", other.path), "\(found as Any)")

    for (host, end, text) in [
      ("10.0.0.1", 86_400.0, "for other names"), ("127.0.0.1", -60, "not valid now"),
    ] {
      let bad = try await EncryptedServer(host: host, until: end)
      let location = bad.location(try bad.authority.issue("own"))
      // Until it has started, the connection is refused.
      let found: StoreError? = try await awaited { () async -> StoreError? in
        let found = await readingError(location, .long)
        if case .unavailable = found { return nil }
        return found
      }
      #expect(found.isCertificate(bad.server.endpoint, text), "\(found as Any)")
    }
  }

  // M-4
  @Test func `renewed files are used without a new start, and halves of them are not`()
    async throws
  {
    let encrypted = try await EncryptedServer()
    try await encrypted.ready()
    let authority = encrypted.authority
    let own = try authority.issue("own", until: 3_600)
    let store = try EtcdStore(encrypted.location(own), .long)
    _ = try await store.read([.key("a")])

    // A new certificate without its key: the old two are still good.
    let next = try authority.issue("next")
    let replaced = authority.directory
    try replaced.copy(next.certificate, over: own.certificate)
    _ = try await store.read([.key("a")])
    try replaced.copy(next.key, over: own.key)
    _ = try await store.read([.key("a")])

    // What is in the files now is what counts.
    let expired = try authority.issue("expired", from: -7_200, until: -60)
    try replaced.copy(expired.certificate, over: own.certificate)
    try replaced.copy(expired.key, over: own.key)
    let found = await error { () async throws(StoreError) in _ = try await store.read([.key("a")]) }
    #expect(found.isCertificate("\(own.certificate) expired"), "\(found as Any)")
    try replaced.copy(next.certificate, over: own.certificate)
    try replaced.copy(next.key, over: own.key)
    _ = try await store.read([.key("a")])
  }
}
