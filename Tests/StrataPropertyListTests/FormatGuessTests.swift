import StrataPropertyList
import Testing

/// What is said of bytes whose format nobody names.
struct FormatGuessTests {
  private func error(_ bytes: [UInt8]) -> PropertyListError? {
    do {
      _ = try PropertyList.decode(bytes)
      return nil
    } catch {
      return error
    }
  }

  // P-1
  @Test(arguments: [[], [0x93, 0x02, 0xFE, 0x11], [0xFF, 0x00, 0x81], [0x61, 0x07, 0xE9]])
  func `bytes that are no text are called no property list`(bytes: [UInt8]) {
    let error = error(bytes)
    #expect(error?.kind == .unknownFormat)
    #expect(error?.description.hasPrefix("not a property list: ") == true)
  }

  // P-1
  @Test func `a text in another encoding is called that`() {
    let error = error(Array("name = caf".utf8) + [0xE9, 0x3B])
    #expect(error?.kind == .invalidText)
    #expect(error?.description == "byte 10: the text is not valid UTF-8; save it as UTF-8")
  }

  // P-1
  @Test func `JSON is JSON, however long its first key is and whatever precedes that`() throws {
    for count in [4_000, 4_090, 4_096, 5_000, 70_000] {
      let blanks = String(repeating: " ", count: count)
      let key = String(repeating: "k", count: count)
      for text in ["{\(blanks)\"a\": 1}", "{\"\(key)\" : 1}", "\(blanks){\"a\"\(blanks): 1}"] {
        #expect(try PropertyList.decode(Array(text.utf8)).format == .json, "\(count)")
      }
      let openStep = Array("{\"\(key)\" = 1;}".utf8)
      #expect(try PropertyList.decode(openStep).format == .openStep, "\(count)")
    }
  }
}
