import RevisionedStore
import Testing

@Suite("Key ranges")
struct KeyRangeTests {
  @Test("M-2: a key is in a range if it is the range's key, or begins with its prefix")
  func contains() {
    #expect(KeyRange.key("a").contains("a"))
    #expect(!KeyRange.key("a").contains("ab"))
    #expect(KeyRange.prefix("a/").contains("a/b"))
    #expect(!KeyRange.prefix("a/").contains("a"))
  }
}
