import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Lines for a person, where nobody reads them.
@Suite(.waiting) struct LogProcessTests {
  /// A pipe that is full, and from which nobody reads.
  private final class FullPipe {
    let path: String
    private let file: Int32

    init(in directory: String) {
      path = directory + "/errors"
      mkfifo(path, 0o600)
      file = open(path, O_RDWR | O_NONBLOCK)
      let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
      while write(file, bytes, bytes.count) > 0 {}
      while write(file, bytes, 1) > 0 {}
    }

    deinit { close(file) }

    /// What was in it, as lines.
    func lines() -> [String] {
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      var text: [UInt8] = []
      while case let count = read(file, &bytes, bytes.count), count > 0 { text += bytes[..<count] }
      return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  // S-9, S-10
  @Test func `a program whose errors nobody reads goes on, and its lines come when one does`()
    throws
  {
    let place = try Place()
    let pipe = FullPipe(in: place.directory)
    try place.overwrite(place.plist, Array("no property list <".utf8))
    let probe = try Probe(["serve", place.plist], errors: pipe.path)
    _ = try probe.line()
    try probe.ask("set first 1")
    for number in 0..<100 { try probe.ask("set key\(number) \(number)") }
    #expect(try [probe.ask("get first"), probe.ask("flush")] == ["1", "true"])
    #expect(try place.plistValues()?.count == 101)
    var lines = pipe.lines()
    #expect(
      holds(within: 600) {
        lines += pipe.lines()
        return lines.count >= 2
      })
    #expect(try probe.finish() == .exited(0))
    lines += pipe.lines()
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("strata: \(place.plist): ") })
    #expect(lines.first?.contains("malformed") == true && lines.last?.contains("kept at") == true)
  }

  // S-9, S-10
  @Test func `a program whose errors nobody reads ends`() throws {
    let place = try Place()
    let pipe = FullPipe(in: place.directory)
    try place.overwrite(place.plist, Array("no property list <".utf8))
    let probe = try Probe(["serve", place.plist], errors: pipe.path)
    _ = try probe.line()
    try probe.ask("set first 1")
    #expect(try probe.finish() == .exited(0))
    #expect(place.freshValues() == ["first": .integer(1)])
  }

  // S-9, S-9a
  @Test func `no line is lost when the program ends at once`() throws {
    let place = try Place()
    try place.overwrite(place.plist, Array("no property list <".utf8))
    let errors = place.directory + "/errors"
    let probe = try Probe(["set", place.plist, "first", "1"], errors: errors)
    #expect(try probe.wait() == .exited(0))
    let text = String(decoding: try place.bytes(of: errors), as: UTF8.self)
    #expect(text.contains("malformed"), "\(text)")
  }

  // S-10, C-23
  @Test func `a directory that can't be listed to its end is an error`() throws {
    let place = try Place()
    try place.overwrite(place.directory + "/one", [])
    let disk = SystemFileSystem()
    let stream = try #require(opendir(place.directory))
    defer { closedir(stream) }
    var calls = 0
    #expect(throws: StorageError(.list, place.directory, code: EIO)) {
      try SystemFileSystem.names(in: place.directory) {
        calls += 1
        if calls <= 3 { return readdir(stream) }
        errno = EIO
        return nil
      }
    }
    #expect(try disk.names(in: place.directory) == ["one"])
  }
}
