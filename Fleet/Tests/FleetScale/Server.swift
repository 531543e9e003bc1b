import CScale
import Foundation
import ProgramTesting
import RevisionedStore

/// An etcd of its own in a temporary directory, maybe with certificates, maybe behind its proxies.
final class Server {
  private let directory: String
  private let isEncrypted: Bool
  private let port: UInt16
  private let peer: UInt16
  private var process: GuardedProcess
  private var proxies: [GuardedProcess] = []
  /// Those to which agents connect.
  let ports: [UInt16]

  init(isEncrypted: Bool, proxyCount: Int) throws {
    let free = (0..<(2 + proxyCount)).map { _ in scale_free_port() }
    (port, peer) = (free[0], free[1])
    ports = proxyCount == 0 ? [port] : Array(free[2...])
    self.isEncrypted = isEncrypted
    directory = NSTemporaryDirectory() + "strata-scale-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    if isEncrypted {
      let made = try Process.run(
        URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", Self.certificates, "sh", directory])
      made.waitUntilExit()
      guard made.terminationStatus == 0 else { throw Mistake("openssl made no certificates") }
    }
    process = try Self.start(Self.command(directory, isEncrypted, port, peer))
    for proxy in free[2...] { proxies.append(try Self.start(command(ofProxy: proxy))) }
  }

  func end() {
    for process in [process] + proxies { process.end() }
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("could not remove \(directory): \(error)")
    }
  }

  /// What the server itself takes of the machine.
  var usage: Usage { get throws { try Usage(process.identifier) } }

  func kill() { process.end() }
  func restart() throws {
    process = try Self.start(Self.command(directory, isEncrypted, port, peer))
  }

  /// - Parameter port: of the server itself, if none is given.
  func location(_ port: UInt16? = nil) -> StoreLocation {
    let endpoint = "\(isEncrypted ? "https" : "http")://127.0.0.1:\(port ?? self.port)"
    guard isEncrypted else { return StoreLocation(endpoints: [endpoint]) }
    return StoreLocation(
      endpoints: [endpoint], authority: path("authority.pem"), certificate: path("agent.pem"),
      key: path("agent.key"))
  }

  private func path(_ name: String) -> String { directory + "/" + name }

  // -- Programs

  private static func start(_ words: [String]) throws -> GuardedProcess {
    try GuardedProcess(words[0], Array(words.dropFirst()))
  }

  private static func command(
    _ directory: String, _ isEncrypted: Bool, _ port: UInt16, _ peer: UInt16
  ) -> [String] {
    let client = "\(isEncrypted ? "https" : "http")://127.0.0.1:\(port)"
    let words = [
      "etcd", "--name", "one", "--data-dir", directory + "/data", "--pre-vote=true",
      "--listen-client-urls", client, "--advertise-client-urls", client,
      "--listen-peer-urls", "http://127.0.0.1:\(peer)",
      "--initial-advertise-peer-urls", "http://127.0.0.1:\(peer)",
      "--initial-cluster", "one=http://127.0.0.1:\(peer)",
    ]
    guard isEncrypted else { return words }
    return words + listening(directory) + ["--client-cert-auth"]
  }

  private static func listening(_ directory: String) -> [String] {
    [
      "--cert-file", directory + "/server.pem", "--key-file", directory + "/server.key",
      "--trusted-ca-file", directory + "/authority.pem",
    ]
  }

  private func command(ofProxy port: UInt16) -> [String] {
    let location = location()
    let words = [
      "etcd", "grpc-proxy", "start", "--listen-addr", "127.0.0.1:\(port)",
      "--endpoints", isEncrypted ? location.endpoints[0] : "127.0.0.1:\(self.port)",
    ]
    guard isEncrypted else { return words }
    return words + Self.listening(directory) + [
      "--cacert", path("authority.pem"), "--cert", path("agent.pem"), "--key", path("agent.key"),
    ]
  }

  private static let certificates = """
    set -e
    cd "$1"
    exec >log 2>&1
    new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "$@"; }
    new -x509 -days 2 -subj /CN=authority -keyout authority.key -out authority.pem
    for name in server agent; do
      new -subj "/CN=$name" -keyout "$name.key" -out "$name.csr"
      printf 'subjectAltName=IP:127.0.0.1\\n' >"$name.ext"
      openssl x509 -req -days 2 -in "$name.csr" -extfile "$name.ext" \\
        -CA authority.pem -CAkey authority.key -CAcreateserial -out "$name.pem"
    done
    """
}
