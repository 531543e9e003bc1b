import CStrata
import DefaultsCommand
import RevisionedStore
import StrataPropertyList
import StrataStorage

/// An etcd of its own in a directory, with certificates, for trying things out.
///
/// It ends with this process, however that ends: a shell waits for the end of its input, and then
/// ends the server. If that ends by itself, so does the shell.
final class TrialStore: Sendable {
  let location: StoreLocation
  private let directory: String
  private let console: any Console
  private let server: StartedProgram

  /// - Parameter directory: an absolute path; its owner alone should be able to read it.
  init(in directory: String, _ console: any Console) throws(Failure) {
    self.directory = directory
    self.console = console
    let (client, peer) = (strata_free_port(), strata_free_port())
    guard client > 0, peer > 0 else { throw Failure("there is no free port") }
    let certificates = Path.join(directory, "certificates")
    let code = try console.run("/bin/sh", ["-c", Self.certificatesScript, "sh", certificates])
    guard code == 0 else {
      throw Failure(
        "openssl could not make certificates; install it if it is missing\n"
          + Self.end(of: certificates + "/log", console))
    }
    location = StoreLocation(
      endpoints: ["https://127.0.0.1:\(client)"], authority: certificates + "/authority.pem",
      certificate: certificates + "/administrator.pem",
      key: certificates + "/administrator.key")
    server = try StartedProgram(
      ["/bin/sh", "-c", Self.serverScript, "sh", directory, String(client), String(peer)],
      log: Path.join(directory, "etcd.log"))
  }

  func end() { server.end() }

  /// Waits until it answers.
  func awaitStart(
    _ store: any RevisionedStore, sleep: @Sendable (Duration) async -> Void
  ) async throws(Failure) {
    var last = StoreError.unavailable("it has ended")
    let end = ContinuousClock.now + Self.patience
    while !server.hasEnded, .now < end {
      do throws(StoreError) {
        _ = try await store.read([.key("/")])
        return
      } catch {
        last = error
      }
      if Task.isCancelled { break }
      await sleep(.milliseconds(50))
    }
    throw Failure(
      "etcd did not start; install etcd-server if it is missing: \(last)\n"
        + Self.end(of: Path.join(directory, "etcd.log"), console))
  }

  /// A machine that is busy takes its time, and a server that can't start ends.
  private static let patience = Duration.seconds(300)

  /// The last lines of what a program printed, since the directory is removed with them.
  private static func end(of log: String, _ console: any Console) -> String {
    do throws(Failure) {
      let lines = String(decoding: try console.read(log), as: UTF8.self)
        .split(whereSeparator: \.isNewline)
      return lines.suffix(5).joined(separator: "\n")
    } catch {
      return error.text ?? ""
    }
  }

  // -- Scripts

  /// A key for each, so that nobody needs another's; all of them end after a month.
  private static let certificatesScript = """
    set -e
    umask 077
    mkdir -p "$1"
    cd "$1"
    exec >log 2>&1
    new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "$@"; }
    new -x509 -days 30 -subj /CN=authority -keyout authority.key -out authority.pem
    sign() {
      new -subj "/CN=$1" -keyout "$1.key" -out "$1.csr"
      printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\n' >"$1.ext"
      openssl x509 -req -days 30 -in "$1.csr" -extfile "$1.ext" \\
        -CA authority.pem -CAkey authority.key -CAcreateserial -out "$1.pem"
      rm "$1.csr" "$1.ext"
    }
    sign server
    sign administrator
    """

  private static let serverScript = """
    cd "$1"
    exec 3<&0
    etcd 3<&- --name trial --data-dir store --pre-vote=true --log-level warn \\
      --listen-client-urls "https://127.0.0.1:$2" --advertise-client-urls "https://127.0.0.1:$2" \\
      --cert-file certificates/server.pem --key-file certificates/server.key \\
      --client-cert-auth --trusted-ca-file certificates/authority.pem \\
      --listen-peer-urls "http://127.0.0.1:$3" \\
      --initial-advertise-peer-urls "http://127.0.0.1:$3" \\
      --initial-cluster "trial=http://127.0.0.1:$3" &
    etcd=$!
    { read -r line; kill "$etcd"; } <&3 &
    reader=$!
    exec 3<&-
    wait "$etcd"
    kill "$reader" 2>/dev/null
    """
}
