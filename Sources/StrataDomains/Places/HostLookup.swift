import StrataStorage

/// What a machine's identifier is made of: read at once, since a process may lose sight of it, and
/// hashed on demand, since most programs have no values for one host.
package enum HostLookup: Equatable, Sendable {
  case known(HostIdentifier)
  /// The machine's number or, if it has none, its name.
  case machine(String)

  package var identifier: HostIdentifier {
    switch self {
    case .known(let identifier): identifier
    case .machine(let text): HostIdentifier(of: text)
    }
  }

  /// Of this machine, or of the file tree at `root`.
  static func read(
    root: String = "", _ read: HostIdentifier.Read = HostIdentifier.firstLine
  ) -> HostLookup {
    func line(_ path: String, _ count: Int) throws(StorageError) -> String {
      try read(root.isEmpty ? path : root + path, count)
    }
    func number(_ path: String) throws(StorageError) -> HostLookup? {
      // A number and the end of its line.
      let number = try line(path, 33)
      return isMachineNumber(number) ? .machine(number) : nil
    }
    do throws(StorageError) {
      if let known = try number("/etc/machine-id") { return known }
      if let known = try number("/var/lib/dbus/machine-id") { return known }
      let name = try line("/proc/sys/kernel/hostname", 256)
      return .machine(name.isEmpty ? "localhost" : name)
    } catch {
      Log.write("values for this host are not available: \(error)")
      return .known(.unknown)
    }
  }

  /// Until its first boot is complete, a new machine has `uninitialized` there; an image has
  /// nothing.
  private static func isMachineNumber(_ line: String) -> Bool {
    let digits = line.utf8
    return digits.count == 32 && digits.contains { $0 != UInt8(ascii: "0") }
      && digits.allSatisfy(HostIdentifier.isDigit)
  }
}
