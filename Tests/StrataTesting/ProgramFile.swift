import Foundation

/// A file that is to be run.
///
/// It is written by another process: a descriptor of this one, open for writing, could be inherited
/// by what a test beside this one starts, and what is open for writing can't be run.
package enum ProgramFile {
  package struct Failure: Error {}

  /// Copies a program.
  package static func copy(_ source: String, to path: String) throws {
    let process = try Process.run(
      URL(fileURLWithPath: "/usr/bin/install"), arguments: ["-m", "755", source, path])
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure() }
  }

  /// Makes a script, by way of another file beside it.
  package static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".text"))
    try copy(path + ".text", to: path)
    try FileManager.default.removeItem(atPath: path + ".text")
  }
}
