import Foundation
import StrataPropertyList
import Testing

/// The damaged files in `Corpus/`, one for each kind: the name begins with the error it must give.
struct CorpusTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Corpus")

  private static func files() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension != "md" }
      .sorted { $0.path < $1.path }
  }

  // P-7
  @Test func `every damaged file gives the error that it is named after`() throws {
    let files = try Self.files()
    #expect(files.count > 30)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: file))
      let expected = file.lastPathComponent.prefix { $0 != "." }
      let kind = errorKind(bytes, as: Self.format(of: file))
      #expect(kind.map { "\($0)" } == String(expected), "\(file.lastPathComponent)")
    }
  }

  // P-7
  @Test func `a damaged file that is cut short as well never traps`() throws {
    for file in try Self.files() {
      let bytes = [UInt8](try Data(contentsOf: file))
      for length in 0..<bytes.count {
        _ = errorKind(Array(bytes.prefix(length)), as: Self.format(of: file))
      }
    }
  }

  private static func format(of file: URL) -> PropertyListFormat {
    switch file.pathExtension {
    case "bplist": .binary
    case "xml": .xml
    case "json": .json
    default: .openStep
    }
  }
}
