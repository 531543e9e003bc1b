import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// A directory of its own for one test, with the files of one domain; gone when the test is.
final class Place {
  let directory: String
  let paths: StorePaths
  /// Whether the test is about what nobody mends.
  var isLeftBroken = false
  private let disk = SystemFileSystem()

  struct NoDirectory: Error {}

  init(in parent: String = "/tmp") throws {
    var template = Array("\(parent)/strata-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw NoDirectory() }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    paths = StorePaths(identifier: "com.example.place", in: directory)
  }

  deinit {
    for finding in brokenDomains(below: directory) where !isLeftBroken {
      Issue.record("\(finding)")
    }
    do { _ = try run("rm", "-rf", directory) } catch {}
  }

  var plist: String { paths.plist }

  func serve() throws -> Probe { try Probe.serving(plist) }

  /// The store as a process finds it that has just started.
  func freshStore() -> Store {
    StorageProcess(on: disk, isAutomatic: false, feedMode: .chosen).store(at: paths)
  }

  func freshValues() -> [String: PropertyListValue] { freshStore().snapshot().values }

  // -- Files

  func bytes(of path: String) throws -> [UInt8] {
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    return try disk.read(file, at: 0, count: try disk.status(of: file).size)
  }

  /// Writes a file where it stands, as an editor without caution does.
  func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw StorageError(.open, path, code: errno) }
    let file = FileID(rawValue: descriptor)
    defer { disk.close(file) }
    let result = bytes.withUnsafeBytes { raw in
      Result { try disk.write(raw, to: file, at: 0) }
    }
    try result.get()
  }

  /// Replaces a file by renaming another one over it, as an editor with caution does.
  func exchange(_ path: String, _ bytes: [UInt8]) throws {
    try overwrite(path + ".edited", bytes)
    try disk.rename(path + ".edited", to: path, .replace)
  }

  func names(in directory: String? = nil) throws -> [String] {
    try disk.names(in: directory ?? self.directory)
  }

  func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// What the plist file alone says, whoever wrote it.
  func plistValues() throws -> [String: PropertyListValue]? {
    let reading = PlistFile(path: plist, disk: disk).read()
    return reading.isSound ? reading.values : nil
  }
}

/// The bytes of a property list as another program writes it.
func foreignList(_ values: [String: Int64]) throws -> [UInt8] {
  try PropertyList.encode(.dictionary(values.mapValues { .integer($0) }), as: .binary)
}

/// Runs a program to its end.
/// - Returns: what it said on its standard output; nil when it failed.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> String? {
  let command = try Probe(
    ["-c", "\"$0\" \"$@\" < /dev/null; code=$?; echo; echo \"ended $code\"", program] + arguments,
    program: "/bin/sh")
  var lines: [String] = []
  while true {
    let line = try command.line(within: 600)
    if line.hasPrefix("ended ") {
      _ = try command.wait()
      return line == "ended 0" ? lines.dropLast().joined(separator: "\n") : nil
    }
    lines.append(line)
  }
}
