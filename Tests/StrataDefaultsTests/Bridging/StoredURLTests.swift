import Foundation
import StrataDefaults
import StrataPropertyList
import Testing

/// How URLs are stored, and which stored values are URLs.
struct StoredURLTests {
  private let urls = URLBridge(home: "/home/me")

  // V-17
  @Test func `a file's URL is stored as its path, with a tilde inside of the home directory`() {
    let base = URL(fileURLWithPath: "/home/me/base/", isDirectory: true)
    let cases: [(url: URL?, text: String)] = [
      (URL(fileURLWithPath: "/etc/a b/ü%"), "/etc/a b/ü%"), (URL(fileURLWithPath: "/"), "/"),
      (URL(fileURLWithPath: "/home/me"), "~"), (URL(fileURLWithPath: "/home/me/x"), "~/x"),
      (URL(fileURLWithPath: "/home/me/d", isDirectory: true), "~/d"),
      (URL(fileURLWithPath: "/home/mercy/x"), "/home/mercy/x"),
      (URL(fileURLWithPath: "/home/me\u{301}/x"), "/home/me\u{301}/x"),
      (URL(fileURLWithPath: "x", relativeTo: base), "~/base/x"),
      (URL(string: "../x", relativeTo: base), "~/x"),
      (URL(string: "FILE:///x"), "/x"), (URL(string: "file://localhost/x"), "/x"),
      (URL(string: "file:///a%20b//"), "/a b"),
    ]
    for (url, text) in cases {
      #expect(url.map(urls.value(of:)) == .string(text))
    }
    let relative = URL(fileURLWithPath: "x")
    let directory = FileManager.default.currentDirectoryPath
    #expect(URLBridge(home: "").value(of: relative) == .string("\(directory)/x"))
    #expect(URLBridge(home: "/").value(of: URL(fileURLWithPath: "/x")) == .string("/x"))
    #expect(URLBridge(home: "/h/").value(of: URL(fileURLWithPath: "/h/x")) == .string("~/x"))
  }

  // V-18
  @Test func `a URL of which a path says less is stored as data, and comes back the same`() {
    let base = URL(string: "http://example.com/a/b")
    let cases: [URL?] = [
      base, URL(string: "c/d?q#f", relativeTo: base), URL(string: "?q", relativeTo: base),
      URL(string: "a/b"), URL(string: "//host/p"), URL(string: "mailto:a@b.c"),
      URL(string: "data:,A%20B"), URL(string: "http://user:secret@[::1]:80/%FF?a=b&c#%20"),
      URL(string: "https://ü.example/ü"), URL(string: "file:///.file/id=6571367.8602"),
      URL(string: "file://server/share"), URL(string: "file:///a?q=1"), URL(string: "file:///a#f"),
      URL(string: "file:///a%FFb"), URL(string: "file:///a%00b"), URL(string: "file:///a%2Fb"),
      URL(string: "file:x"), URL(string: "x", relativeTo: URL(string: "y/z", relativeTo: base)),
    ]
    for url in cases {
      guard let url else {
        Issue.record("a URL of the table is none")
        continue
      }
      let value = urls.value(of: url)
      guard case .data = value else {
        Issue.record("\(url) is stored as \(value)")
        continue
      }
      let read = urls.url(of: value)
      #expect(read?.absoluteString == url.absoluteString)
      #expect(read?.baseURL == url.baseURL, "\(url)")
      #expect(read?.relativeString == url.relativeString)
      #expect(read == url)
    }
  }

  // V-19
  @Test func `a stored text is a path: of the home, absolute, or of the current directory`() {
    let directory = FileManager.default.currentDirectoryPath
    let cases: [(text: String, path: String)] = [
      ("~", "/home/me"), ("~/x y", "/home/me/x y"), ("~\u{301}/x", "\(directory)/~\u{301}/x"),
      ("/a/%20", "/a/%20"), ("/", "/"),
      ("a/b", "\(directory)/a/b"), ("", directory), ("x~", "\(directory)/x~"),
      ("http://example.com", "\(directory)/http://example.com"),
      ("~nobody.of.this.name/x", "\(directory)/~nobody.of.this.name/x"),
    ]
    for (text, path) in cases {
      let url = urls.url(of: .string(text))
      #expect(url?.isFileURL == true, "\(text)")
      #expect(url?.path == path, "\(text)")
    }
  }

  // V-17, V-19
  @Test func `a file's URL comes back as the same file`() {
    for path in ["/", "/home/me", "/home/me/a b", "/home/me//x", "/x/~", "/x/../y", "/ü/\u{600}"] {
      let url = URL(fileURLWithPath: path)
      #expect(urls.url(of: urls.value(of: url))?.path == url.path, "\(path)")
    }
  }

  // V-19
  @Test func `what is neither text nor an archive of a URL is no URL`() {
    let others: [PropertyListValue] = [
      .boolean(true), .integer(1), .unsigned(.max), .real(1), .single(1), .uid(1), .array([]),
      .date(PropertyListDate(secondsSinceReference: 0)), .dictionary([:]),
      .array([.string("/x")]), .data([]), .data(Array("/x".utf8)), .string("a\0b"),
    ]
    for value in others { #expect(urls.url(of: value) == nil, "\(value)") }
  }

  // V-20
  @Test func `a URL in a dictionary is stored as one that is set, where URLs are taken`() throws {
    let url = try #require(URL(string: "http://example.com"))
    let file = URL(fileURLWithPath: "/home/me/x")
    for object in [
      ["a": url, "b": [file]] as [String: Any], ["a": url as NSURL, "b": [file as NSURL]],
    ] {
      #expect(throws: BridgeError.self) { try Bridge.value(of: object) }
      #expect(
        try Bridge.value(of: object, urls: urls)
          == .dictionary(["a": urls.value(of: url), "b": .array([.string("~/x")])]))
    }
    let relative = try #require(URL(string: "a?b", relativeTo: url))
    let object = try #require(NSURL(string: "a?b", relativeTo: url))
    #expect(try Bridge.value(of: object, urls: urls) == urls.value(of: relative))
  }
}
