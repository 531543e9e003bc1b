import Foundation
import Testing

/// The documentation catalogue. What is in its pages is checked where it is built.
struct CatalogueTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/StrataDefaults/StrataDefaults.docc")

  // W-18
  @Test(arguments: [
    "GetStarted", "MoveFromFoundation", "ObserveChanges", "TestWithSettings", "ManagedSettings",
    "Configuration", "Promises", "DifferencesFromApple", "ComingFrom",
  ])
  func `the catalogue has a page that its first page leads to`(name: String) throws {
    let page = Self.folder.appending(path: name + ".md")
    let first = Self.folder.appending(path: "StrataDefaults.md")
    #expect(try String(contentsOf: page, encoding: .utf8).hasPrefix("# "))
    #expect(try String(contentsOf: first, encoding: .utf8).contains("<doc:\(name)>"))
  }
}
