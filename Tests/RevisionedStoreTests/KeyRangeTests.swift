import RevisionedStore
import Testing

struct KeyRangeTests {
  // M-2
  @Test func `a key is in a range if it is the range's key, or begins with its prefix`() {
    #expect(KeyRange.key("a").contains("a"))
    #expect(!KeyRange.key("a").contains("ab"))
    #expect(KeyRange.prefix("a/").contains("a/b"))
    #expect(!KeyRange.prefix("a/").contains("a"))
  }
}
