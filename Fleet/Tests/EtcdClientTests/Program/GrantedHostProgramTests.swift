import Foundation
import RevisionedStore
import Testing
import ProgramTesting

/// A host that may do what it was granted, and nothing else, with a real etcd and certificates.
struct GrantedHostProgramTests {
  private let authority: Authority
  private let server: EtcdServer
  private let directory: TemporaryDirectory
  private let administrator: Authority.Identity

  init() async throws {
    authority = try Authority()
    server = try await EtcdServer(
      authority: authority, identity: authority.issue("server", host: "127.0.0.1"))
    directory = try TemporaryDirectory()
    administrator = try authority.issue("root")
    _ = try await EtcdServer.ready(
      StoreLocation(
        endpoints: [server.endpoint], authority: authority.path,
        certificate: administrator.certificate, key: administrator.key))
    try server.requireCertificates(authority, root: administrator)
  }

  @discardableResult
  private func run(_ words: [String], as identity: Authority.Identity) throws -> String {
    try Command.run(
      "/usr/bin/env",
      [
        "HOME=\(directory.path)", "STRATA_SYSTEM_DIRECTORY=\(directory("system"))", Fleet.program,
      ] + words + [
        "--endpoint", server.endpoint, "--ca", authority.path, "--cert", identity.certificate,
        "--key", identity.key,
      ])
  }

  private func agent(_ host: String, as identity: Authority.Identity) throws {
    try run(
      ["agent", "--once", "--host", host, "--state", directory("state-" + host)], as: identity)
  }

  // M-8, M-5
  @Test func `it applies and reports, whatever system it runs, and is refused the rest`() throws {
    let host = try authority.issue("web1")
    try run(["enroll", "web1", "--grant"], as: administrator)
    try FileManager.default.createDirectory(
      atPath: directory("policies/all"), withIntermediateDirectories: true)
    let policy = try directory.write(
      #"{"forced": {"a": 1}}"#, to: "policies/all/com.example.app.json")
    try run(["publish", policy, "--reason", "a test"], as: administrator)

    try agent("web1", as: host)
    #expect(
      FileManager.default.fileExists(atPath: directory("system/managed/com.example.app.plist")))
    #expect(try run(["status"], as: administrator).contains("web1  up to date"))

    #expect(throws: ChildProcess.Failed.self) { try agent("web2", as: host) }
    for words in [["publish", policy, "--reason", "x"], ["status"], ["enroll", "web1"]] {
      #expect(throws: ChildProcess.Failed.self) { try run(words, as: host) }
    }
  }
}
