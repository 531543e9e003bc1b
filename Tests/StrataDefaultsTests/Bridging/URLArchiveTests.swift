import Foundation
import StrataDefaults
import StrataPropertyList
import StrataTesting
import Testing

/// That archives of URLs are those of Apple's platforms, and that no archive does harm.
struct URLArchiveTests {
  private let urls = URLBridge(home: "/home/me")
  private let base = URL(string: "http://example.com/a/")

  private func archive(_ url: URL) throws -> [UInt8] {
    guard case .data(let bytes) = urls.value(of: url) else { throw CocoaError(.coderInvalidValue) }
    return bytes
  }

  private func url(_ archive: PropertyListValue) throws -> URL? {
    urls.url(of: .data(try PropertyList.encode(archive, as: .binary)))
  }

  private func archive(
    root: UInt64 = 1, _ objects: [PropertyListValue]
  ) -> [String: PropertyListValue] {
    [
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": .uid(root)]), "$objects": .array(objects),
    ]
  }

  private func object(base: UInt64, text: UInt64, type: UInt64) -> PropertyListValue {
    .dictionary(["$class": .uid(type), "NS.base": .uid(base), "NS.relative": .uid(text)])
  }

  private let null = PropertyListValue.string("$null")
  private let type = PropertyListValue.dictionary([
    "$classname": .string("NSURL"), "$classes": .array([.string("NSURL"), .string("NSObject")]),
  ])

  // V-18
  @Test func `the archive is laid out as Apple's archiver lays it out`() throws {
    let relative = try #require(URL(string: "b?q", relativeTo: base))
    #expect(
      try PropertyList.decode(archive(relative)) == (
        .dictionary(
          archive([
            null, object(base: 2, text: 5, type: 4), object(base: 0, text: 3, type: 4),
            .string("http://example.com/a/"), type, .string("b?q"),
          ])), .binary
      ))
    let absolute = try #require(base)
    #expect(
      try PropertyList.decode(archive(absolute)).value
        == .dictionary(
          archive([null, object(base: 0, text: 2, type: 3), .string(absolute.absoluteString), type])
        ))
  }

  // V-18
  @Test func `Foundation's unarchiver reads what we archive`() throws {
    let texts = ["http://example.com/ü?q#f", "a/b", "mailto:a@b.c", "file:///a%2Fb"]
    let relatives = texts.compactMap { URL(string: $0, relativeTo: base) }
    for url in texts.compactMap({ URL(string: $0) }) + relatives {
      let data = Data(try archive(url))
      let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)
      #expect(read?.absoluteString == url.absoluteString)
      #expect(read?.relativeString == url.relativeString)
      #expect(read?.baseURL == url.baseURL)
    }
  }

  // V-18, V-19
  @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func `we read what Foundation's archiver writes`(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let texts = ["http://example.com/%C3%BC?q#f", "a/b", "mailto:a@b.c", "file:///x"]
    let relatives = texts.compactMap { NSURL(string: $0, relativeTo: base) }
    for url in texts.compactMap({ NSURL(string: $0) }) + relatives {
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      archiver.outputFormat = format
      archiver.encode(url, forKey: NSKeyedArchiveRootObjectKey)
      archiver.finishEncoding()
      let read = urls.url(of: .data([UInt8](archiver.encodedData)))
      #expect(read?.absoluteString == url.absoluteString)
      #expect(read?.relativeString == url.relativeString)
      #expect(read?.baseURL?.absoluteString == url.baseURL?.absoluteString)
    }
  }

  // V-18
  @Test func `a chain of bases as older archivers write it is read`() throws {
    let chain = archive([
      null, object(base: 2, text: 5, type: 4), object(base: 3, text: 6, type: 4),
      object(base: 0, text: 7, type: 4), type, .string("c"), .string("b/"), .string("http://h/a/"),
    ])
    let url = try url(.dictionary(chain))
    #expect(url?.absoluteString == "http://h/a/b/c")
    #expect(url?.baseURL?.absoluteString == "http://h/a/b/")
  }

  // V-19
  @Test func `an archive of another class is no URL`() throws {
    for name in ["NSString", "NSArray", "NSNumber", "NSURLRequest", "nsurl", ""] {
      let other = PropertyListValue.dictionary([
        "$classname": .string(name), "$classes": .array([.string(name), .string("NSURL")]),
      ])
      let objects = [null, object(base: 0, text: 2, type: 3), .string("http://h"), other]
      #expect(try url(.dictionary(archive(objects))) == nil, "\(name)")
    }
    let numbers = NSKeyedArchiver(requiringSecureCoding: true)
    numbers.encode(NSArray(array: [1, 2]), forKey: NSKeyedArchiveRootObjectKey)
    numbers.finishEncoding()
    #expect(urls.url(of: .data([UInt8](numbers.encodedData))) == nil)
  }

  // V-19
  @Test func `a hostile archive is no URL and does no harm`() throws {
    let (text, good) = (PropertyListValue.string("http://h"), object(base: 0, text: 2, type: 3))
    let hostile: [[String: PropertyListValue]] = [
      [:], archive([]), archive([null]), archive(root: 0, [null, good, text, type]),
      archive(root: .max, [null, good, text, type]), archive(root: 9, [null, good, text, type]),
      archive([null, object(base: 1, text: 2, type: 3), text, type]),
      archive([
        null, object(base: 4, text: 2, type: 3), text, type, object(base: 1, text: 2, type: 3),
      ]),
      archive([null, object(base: .max, text: 2, type: 3), text, type]),
      archive([null, object(base: 2, text: 2, type: 3), text, type]),
      archive([null, object(base: 0, text: 1, type: 3), text, type]),
      archive([null, object(base: 0, text: 0, type: 3), text, type]),
      archive([null, object(base: 0, text: 99, type: 3), text, type]),
      archive([null, object(base: 0, text: 2, type: 99), text, type]),
      archive([null, object(base: 0, text: 2, type: 1), text, type]),
      archive([null, object(base: 0, text: 2, type: 2), text, type]),
      archive([null, good, .integer(1), type]), archive([null, good, .string(""), type]),
      archive([null, good, .string("http://["), type]), archive([null, text, text, type]),
      archive([null, .dictionary(["$class": .uid(3), "NS.relative": .string("x")]), text, type]),
      archive([null, .dictionary(["$class": .uid(3), "NS.base": .integer(0)]), text, type]),
      archive([null, good, text, type]).merging(["$archiver": .string("Other")]) { $1 },
      archive([null, good, text, type]).merging(["$version": .integer(1)]) { $1 },
      archive([null, good, text, type]).merging(["$top": .dictionary([:])]) { $1 },
      archive([null, good, text, type]).merging(["$objects": .dictionary([:])]) { $1 },
    ]
    for (index, archive) in hostile.enumerated() {
      #expect(try url(.dictionary(archive)) == nil, "archive \(index)")
    }
    #expect(try url(.dictionary(archive([null, good, text, type]))) != nil)
    #expect(try url(.array([])) == nil)
  }

  // V-19
  @Test func `a long chain of bases is no URL, a short one is`() throws {
    for (bases, isURL) in [(60, true), (70, false), (10_000, false)] {
      var objects = [null, type, .string("d/"), .string("http://h/")]
      for place in 0..<bases {
        objects.append(object(base: UInt64(place + 5), text: 2, type: 1))
      }
      objects.append(object(base: 0, text: 3, type: 1))
      #expect((try url(.dictionary(archive(root: 4, objects))) != nil) == isURL, "\(bases)")
    }
  }

  // V-19
  @Test(arguments: 0..<50)
  func `an archive with damaged bytes does no harm`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let url = try #require(URL(string: "b?q", relativeTo: base))
    let bytes = try archive(url)
    for _ in 0..<100 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: damaged.indices, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      // Whatever it says now is a URL or none; what must not happen is a trap.
      let read = urls.url(of: .data(damaged))
      #expect(read.map { !$0.relativeString.isEmpty } ?? true, "seed \(seed)")
    }
  }
}
