import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// URLs through the class: how they are stored, and what comes back.
struct URLSettingTests {
  // V-17
  @Test func `a file's URL is stored as its path, with a tilde inside of the home directory`()
    throws
  {
    let defaults = try DefaultsFixture().defaults
    let home = try #require(ProcessSurroundings.current.home)
    let cases: [(url: URL, text: String)] = [
      (URL(filePath: "/etc/a b/ü"), "/etc/a b/ü"),
      (URL(filePath: home + "/x/y"), "~/x/y"),
      (URL(filePath: home), "~"),
    ]
    for (url, text) in cases {
      defaults.set(url, forKey: "url")
      #expect(defaults.object(forKey: "url") as? String == text)
      #expect(defaults.url(forKey: "url")?.path == url.path)
    }
  }

  // V-18
  @Test func `any other URL is stored as an archive, and comes back the same`() throws {
    let defaults = try DefaultsFixture().defaults
    let base = try #require(URL(string: "http://example.com/a/b"))
    let cases: [URL?] = [
      base, URL(string: "c/d?q#f", relativeTo: base), URL(string: "a/b"),
      URL(string: "https://user:secret@[::1]:80/?a=b&c#%20"), URL(string: "mailto:a@b.c"),
      URL(string: "file:///.file/id=6571367.8602"),
    ]
    for url in cases {
      let url = try #require(url)
      defaults.set(url, forKey: "url")
      let archive = try #require(defaults.data(forKey: "url"))
      let list = try PropertyList.decode([UInt8](archive)).value
      guard case .dictionary(let parts) = list else {
        Issue.record("\(url) is stored as \(list)")
        continue
      }
      #expect(parts["$archiver"] == .string("NSKeyedArchiver"))
      #expect(parts["$version"] == .integer(100_000))
      let foreign = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: archive)
      #expect(foreign?.absoluteString == url.absoluteString)
      let read = try #require(defaults.url(forKey: "url"))
      #expect(read.absoluteString == url.absoluteString && read.baseURL == url.baseURL)
    }
  }

  // V-19
  @Test func `a text is a path, data an archive of a URL, and nothing else a URL`() throws {
    let defaults = try DefaultsFixture().defaults
    let directory = FileManager.default.currentDirectoryPath
    let home = try #require(ProcessSurroundings.current.home)
    let texts = [
      "/a/../b": "/b", "~/x": home + "/x", "~": home,
      "x/y": directory + "/x/y",
    ]
    for (text, path) in texts {
      defaults.set(text, forKey: "url")
      let url = try #require(defaults.url(forKey: "url"))
      #expect(url.isFileURL && url.standardized.path == path, "\(text)")
    }
    defaults.set("http://example.com", forKey: "url")
    #expect(defaults.url(forKey: "url")?.isFileURL == true)
    let date = try NSKeyedArchiver.archivedData(
      withRootObject: NSDate(), requiringSecureCoding: true)
    let strangers: [Any] = [
      Data(), Data([1, 2, 3]), Data("bplist00".utf8), date, 7, 1.5, true, Date(), ["/x"],
      ["a": "/x"],
    ]
    for stranger in strangers {
      defaults.set(stranger, forKey: "url")
      #expect(defaults.url(forKey: "url") == nil, "\(stranger)")
    }
  }

  // V-20
  @Test func `a URL is stored the same by every way in, and nil removes it`() throws {
    let fixture = try DefaultsFixture()
    let defaults = fixture.defaults
    for url in [URL(filePath: "/x/y"), URL(string: "http://example.com/?q")] {
      defaults.set(url, forKey: "url")
      let stored = try #require(defaults.stack.value(forKey: "url"))
      defaults.set(url as Any?, forKey: "any")
      defaults.setValue(url.map { $0 as NSURL }, forKey: "value")
      try defaults.store(url, forKey: "store")
      defaults.register(defaults: ["registered": try #require(url)])
      for key in ["any", "value", "store", "registered"] {
        #expect(defaults.stack.value(forKey: key) == stored, "\(key)")
        #expect(defaults.url(forKey: key) == url, "\(key)")
      }
    }
    defaults.set(nil as URL?, forKey: "url")
    #expect(defaults.object(forKey: "url") == nil)
    #expect(fixture.defaults.persistentDomain(forName: DefaultsFixture.identifier)?["url"] == nil)
  }

  // V-20
  @Test func `a URL inside of something is refused`() throws {
    let defaults = try DefaultsFixture().defaults
    for object in [[URL(filePath: "/x")] as Any, ["a": URL(filePath: "/x")]] {
      #expect(throws: DefaultsError.self) { try defaults.store(object, forKey: "key") }
      #expect(defaults.object(forKey: "key") == nil)
    }
  }
}
