import Foundation
import Testing

/// That the codecs are our own and start a process without Foundation.
struct FoundationFreeTests {
  // P-9
  @Test func `no file of the codecs imports anything but the standard library`() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/StrataPropertyList").standardizedFileURL
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    var count = 0
    for case let name as String in files where name.hasSuffix(".swift") {
      count += 1
      let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      let imports = text.split(separator: "\n").filter {
        $0.contains("import ") && !$0.contains("//")
      }
      #expect(imports.isEmpty, "\(name)")
    }
    #expect(count > 30)
  }
}
