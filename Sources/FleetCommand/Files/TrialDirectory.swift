import DefaultsCommand
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataStorage

/// A directory in which a fleet can be tried out: a policy, where the store is, and what the agent
/// writes.
struct TrialDirectory: Sendable {
  let path: String
  private let console: any Console
  private let disk = SystemFileSystem()

  var system: String { Path.join(path, "system") }
  private var policies: String { Path.join(path, "policies") }
  private var environment: String { Path.join(path, "environment") }

  init(_ console: any Console) throws(Failure) {
    self.console = console
    let place = console.environment("TMPDIR").flatMap(AbsolutePath.tidied) ?? "/tmp"
    path = Path.join(place, "defaults-fleet-\(UInt32.random(in: 0 ... .max))")
    try make(path, 0o700)
  }

  private func make(_ path: String, _ mode: UInt32) throws(Failure) {
    do throws(StorageError) {
      try disk.makeDirectory(path, mode: mode)
    } catch {
      throw Failure("cannot make \(path): \(error)")
    }
  }

  /// Writes the policy, and the files by which the command finds the store.
  func fill(_ location: StoreLocation) throws(Failure) {
    try make(system, 0o755)
    try make(policies, 0o700)
    try make(Path.join(policies, "all"), 0o700)
    try write(
      Path.join(policies, "all/com.example.greeter.json"),
      [
        "forced": ["Greeting": "Hello from the fleet"],
        "recommended": ["FontSize": 14],
      ], .json)
    try write(
      Path.join(system, StoreLocation.domain + ".plist"),
      .dictionary(FleetSettings.entries(location)), .xml)
    try console.replace(
      environment,
      by: Array("export \(Places.systemVariable)=\(Self.quoted(system))\n".utf8), .ownerOnly)
  }

  private func write(
    _ path: String, _ value: PropertyListValue, _ format: PropertyListFormat
  ) throws(Failure) {
    let bytes: [UInt8]
    do throws(PropertyListError) {
      bytes = try PropertyList.encode(value, as: format)
    } catch {
      throw Failure(error.description)
    }
    try console.replace(path, by: bytes, .byMask)
  }

  /// As one word of a shell's.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }

  func instructions(_ host: String, _ location: StoreLocation) -> String {
    """
    etcd runs at \(location.endpoints.joined(separator: ", ")), and an agent for the host \(host).
    All is in \(path). In another terminal:

      . \(environment)
      defaults fleet plan \(policies)
      defaults fleet publish \(policies) --reason 'a first policy'
      defaults fleet status
      defaults explain com.example.greeter Greeting
      defaults fleet rollback all/com.example.greeter --reason 'that was it'

    Ctrl-C ends it. What the agent does is printed here:
    """
  }

  func remove() {
    do throws(Failure) {
      let code = try console.run("/bin/rm", ["-rf", "--", path])
      if code != 0 { try console.write("\(path) could not be removed\n", to: .error) }
    } catch {
      // Nobody reads what could be said.
    }
  }
}
