import Foundation

/// Python's `plistlib` as a second opinion: it reads files and writes each again as it was.
package enum Plistlib {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  private static let script = """
    import plistlib, sys, os
    folder = sys.argv[1]
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, 'rb') as file:
            data = file.read()
        binary = data.startswith(b'bplist')
        value = plistlib.loads(data)
        with open(path, 'wb') as file:
            plistlib.dump(value, file, fmt=plistlib.FMT_BINARY if binary else plistlib.FMT_XML)
    """

  /// Each of `files` as `plistlib` writes it after it has read it.
  package static func rewrite(_ files: [[UInt8]]) throws -> [[UInt8]] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("plistlib-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { removeFolder(folder) }
    let places = files.indices.map { folder.appendingPathComponent("\($0).plist") }
    for (file, place) in zip(files, places) { try Data(file).write(to: place) }
    try run([script, folder.path])
    return try places.map { [UInt8](try Data(contentsOf: $0)) }
  }

  private static func run(_ arguments: [String]) throws {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c"] + arguments
    process.standardError = errors
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus != 127 else {
      throw Failure(description: "these tests need python3 in PATH; install it")
    }
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "plistlib refused a file: \(String(decoding: text, as: UTF8.self))")
    }
  }

  private static func removeFolder(_ folder: URL) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      // A folder left behind in the temporary directory harms nobody.
    }
  }
}
