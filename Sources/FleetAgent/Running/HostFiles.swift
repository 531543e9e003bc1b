import FleetModel
package import StrataStorage

/// What the files of a host say of it.
package enum HostFiles {
  /// The name of the operating system, by the first of these files that says it; nil if none does.
  ///
  /// Throws if one that comes before can't be read: it may say another name than the next one.
  package static func operatingSystem(
    in paths: [String] = ["/etc/os-release", "/usr/lib/os-release"], on disk: Disk = Disk()
  ) throws(StorageError) -> String? {
    for path in paths {
      guard let bytes = try WholeFile(path, on: disk).read() else { continue }
      if let name = operatingSystem(bytes), PlainName.isValid(name) { return name }
    }
    return nil
  }

  /// The name of the operating system that `/etc/os-release` gives.
  package static func operatingSystem(_ release: [UInt8]) -> String? {
    for line in lines(release) where line.hasPrefix("ID=") {
      return line.dropFirst(3).filter { $0 != "\"" && $0 != "'" && !$0.isWhitespace }
    }
    return nil
  }

  /// The people who can log in, by `/etc/passwd`; not the users of services.
  package static func people(_ passwd: [UInt8]) -> [String] {
    lines(passwd).compactMap { line in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 7, let id = UInt32(fields[2]), id == 0 || id >= 1_000, id != nobody
      else { return nil }
      let shell = fields[6].split(separator: "/").last.map(String.init) ?? "sh"
      return ["nologin", "false", "sync"].contains(shell) ? nil : String(fields[0])
    }
  }

  private static let nobody: UInt32 = 65_534

  private static func lines(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
  }
}
