import StrataTesting
import Testing

@testable import StrataDomains

/// Absolute paths, written in their shortest form.
struct AbsolutePathTests {
  // D-8
  @Test(arguments: [
    ("/", "/"), ("//", "/"), ("/a", "/a"), ("/a/", "/a"), ("/a//b", "/a/b"), ("/.", "/"),
    ("/a/.", "/a"), ("/./a", "/a"), ("/a/./b", "/a/b"), ("/..", "/"), ("/../a", "/a"),
    ("/a/..", "/"), ("/a/../b", "/b"), ("/.a", "/.a"), ("/a.", "/a."), ("/a..", "/a.."),
    ("/..a/b", "/..a/b"), ("/.../b", "/.../b"), ("/a.b/.c./d..", "/a.b/.c./d.."),
  ]) func `a path is resolved`(path: String, resolved: String) {
    #expect(AbsolutePath.resolved(path) == resolved)
  }

  // D-8
  @Test func `a path that is resolved stays as it is, and no part of it means another`() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let parts = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        ["", ".", "..", "...", "a", ".a", "a.", "a..b"].randomElement(using: &random) ?? ""
      }
      let path = "/" + parts.joined(separator: "/")
      // Walked by hand.
      var expected: [String] = []
      for part in parts where !part.isEmpty && part != "." {
        if part == ".." { _ = expected.popLast() } else { expected.append(part) }
      }
      #expect(
        AbsolutePath.resolved(path) == "/" + expected.joined(separator: "/"),
        "seed \(seed), \(path)")
    }
  }
}
