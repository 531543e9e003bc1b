import Foundation
import SettingsPage
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

/// Showing and changing settings.
struct BoardTests {
  private static let items = """
    { Type = PSGroupSpecifier; Title = Font; FooterText = Foot; },
    { Type = PSToggleSwitchSpecifier; Title = "<script>"; Key = wrap; DefaultValue = <*BN>; },
    { Type = PSSliderSpecifier; Title = Size; Key = size; DefaultValue = <*I12>;
      MinimumValue = <*I6>; MaximumValue = <*I72>; },
    { Type = PSMultiValueSpecifier; Title = Theme; Key = theme; DefaultValue = dark;
      Values = (dark, light); Titles = (Dark, Light); DisplaySortedByTitle = YES; },
    { Type = PSTitleValueSpecifier; Title = Version; Key = version; DefaultValue = 1; },
    { Type = PSFuture; Key = future; DefaultValue = 1; }
    """

  private static func value(_ type: String, _ text: String) -> String {
    "{\"type\": \"\(type)\", \"value\": \(text)}"
  }

  private static func body(_ key: String, _ type: String, _ text: String) -> String {
    "{\"page\": \"p\", \"key\": \"\(key)\", \"value\": \(value(type, text))}"
  }

  // B-2, B-6
  @Test func `each item that can be shown is a row, in its group`() throws {
    let fixture = try PageFixture(Self.items)
    try fixture.enter()
    let state = try fixture.state()
    #expect(state["title"] as? String == "Test")
    let panes = try #require(state["panes"] as? [[String: Any]])
    let groups = try #require(panes.first?["groups"] as? [[String: Any]])
    #expect(groups.map { $0["title"] as? String } == ["Font"])
    let rows = try #require(groups.first?["rows"] as? [[String: Any]])
    #expect(rows.map { $0["kind"] as? String } == ["toggle", "slider", "choice", "title"])
    #expect(rows.first?["title"] as? String == "<script>")
    #expect(rows[1]["isWhole"] as? Bool == true)
    let problems = state["problems"] as? [String]
    #expect(problems == ["Root.plist: item 5: unknown type PSFuture; the item is not shown"])
  }

  // B-6, B-16
  @Test func `what is set differs from the default until it is reset`() throws {
    let fixture = try PageFixture(Self.items)
    try fixture.enter()
    #expect(try fixture.setting("size")?["isChanged"] as? Bool == false)
    #expect(fixture.send("/api/set", Self.body("size", "integer", "\"14\"")) == 200)
    #expect(fixture.ownValues == ["size": 14])
    #expect(try fixture.setting("size")?["isChanged"] as? Bool == true)
    #expect(fixture.send("/api/set", Self.body("size", "integer", "\"12\"")) == 200)
    #expect(try fixture.setting("size")?["isChanged"] as? Bool == false)
    #expect(fixture.send("/api/reset", "{\"page\": \"p\", \"keys\": [\"size\"]}") == 200)
    #expect(fixture.ownValues == [:])
    #expect(fixture.send("/api/set", Self.body("theme", "string", "\"light\"")) == 200)
    try fixture.set(.integer(7), forKey: "of another version")
    #expect(fixture.send("/api/reset", "{\"page\": \"p\"}") == 200)
    #expect(fixture.ownValues == ["of another version": 7])
  }

  // B-6
  @Test(arguments: [
    ("size", "integer", "\"99\"", 422), ("size", "real", "\"12.5\"", 422),
    ("theme", "string", "\"blue\"", 422), ("version", "string", "\"2\"", 422),
    ("nothing", "string", "\"2\"", 404), ("size", "integer", "\"x\"", 422),
    ("size", "integer", "99", 422), ("size", "number", "\"9\"", 422),
  ])
  func `a value that the setting does not take is refused`(
    key: String, type: String, text: String, status: Int
  ) throws {
    let fixture = try PageFixture(Self.items)
    try fixture.enter()
    #expect(fixture.send("/api/set", Self.body(key, type, text)) == status)
    #expect(fixture.ownValues == [:])
  }

  // B-6
  @Test(arguments: [1.7e15, -1.7e15, .nan, .infinity])
  func `a date out of range is shown, and comes back as it was`(seconds: Double) throws {
    let date = PropertyListValue.date(PropertyListDate(secondsSinceReference: seconds))
    let fixture = try PageFixture { plist in
      let file = URL(fileURLWithPath: plist)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let values: PropertyListValue = ["k": .array([date, "a"])]
      try Data(try PropertyList.encode(values, as: .binary)).write(to: file)
    }
    try fixture.enter()
    let value = try #require(try fixture.setting("k")?["value"] as? [String: Any])
    let items = try #require(value["value"] as? [[String: Any]])
    #expect(items[0]["type"] as? String == "date")
    let text = try #require(items[0]["value"] as? String)
    let elements = "[\(Self.value("date", "\"\(text)\"")), \(Self.value("string", "\"b\""))]"
    #expect(fixture.send("/api/set", Self.body("k", "array", elements)) == 200)
    let expected = try PropertyList.encode(.array([date, "b"]), as: .binary)
    let stored = try #require(fixture.ownValues["k"])
    #expect(try PropertyList.encode(stored, as: .binary) == expected)
  }

  // B-7
  @Test(arguments: ["", "[]", "{}", "{\"page\": 1}", "{\"page\": \"p\"}", "null", "\u{0}", "{"])
  func `a malformed request is an error and changes nothing`(body: String) throws {
    let fixture = try PageFixture()
    try fixture.enter()
    for path in ["/api/set", "/api/undo"] {
      let answer = try fixture.answer(path, body)
      #expect((answer["error"] as? String)?.isEmpty == false)
    }
    #expect(fixture.ownValues == [:])
  }

  // B-16
  @Test func `each change can be undone, as long as nothing else was set since`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    try fixture.set(.string("old"), forKey: "k")
    #expect(fixture.send("/api/set", Self.body("k", "string", "\"new\"")) == 200)
    let changes = try #require(try fixture.state()["changes"] as? [[String: Any]])
    let mine = try #require(changes.first { $0["writer"] as? String == "page" })
    let number = try #require(mine["number"] as? Int)
    #expect(changes.contains { $0["writer"] as? String == "elsewhere" })
    let undo = "{\"page\": \"p\", \"change\": \(number)}"
    #expect(fixture.send("/api/undo", undo) == 200)
    #expect(fixture.ownValues == ["k": "old"])
    #expect(fixture.send("/api/undo", undo) == 409)
    #expect(fixture.send("/api/set", Self.body("k", "string", "\"newer\"")) == 200)
    let last = try #require(
      (try fixture.state()["changes"] as? [[String: Any]])?.first?["number"] as? Int)
    try fixture.set(.string("newest"), forKey: "k")
    #expect(fixture.send("/api/undo", "{\"page\": \"p\", \"change\": \(last)}") == 409)
    #expect(fixture.ownValues == ["k": "newest"])
    #expect(fixture.send("/api/undo", "{\"page\": \"p\", \"change\": 99}") == 404)
  }

  // B-16
  @Test func `a change that is carried on is undone as one`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    func set(_ number: Int, after last: Int?) throws -> Int {
      let body = Self.body("k", "integer", "\"\(number)\"").dropLast()
      let answer = try fixture.answer(
        "/api/set", body + (last.map { ", \"continues\": \($0)}" } ?? "}"))
      return try #require((answer["change"] as? [String: Any])?["number"] as? Int)
    }
    let first = try set(1, after: nil)
    #expect(try set(2, after: first) == first)
    #expect(try set(3, after: first) == first)
    #expect(fixture.send("/api/undo", "{\"page\": \"p\", \"change\": \(first)}") == 200)
    #expect(fixture.ownValues == [:])
    let last = try set(5, after: first)
    #expect(last != first)
    try fixture.set(.string("of others"), forKey: "k")
    let second = try set(4, after: last)
    #expect(second != last)
    #expect(fixture.send("/api/undo", "{\"page\": \"p\", \"change\": \(second)}") == 200)
    #expect(fixture.ownValues == ["k": "of others"])
  }

  // B-6
  @Test func `values of every type come back as they were sent`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    let values: [(String, String, PropertyListValue)] = [
      ("boolean", "true", true), ("integer", "\"-9223372036854775808\"", .integer(.min)),
      ("integer", "\"18446744073709551615\"", .unsigned(.max)), ("real", "\"0.1\"", .real(0.1)),
      ("real", "\"inf\"", .real(.infinity)), ("string", "\"a \\u0001 ü\"", "a \u{1} ü"),
      (
        "date", "\"2001-01-01T00:00:01.5Z\"",
        .date(PropertyListDate(secondsSinceReference: 1.5))
      ),
      ("data", "\"AAEC/w==\"", .data([0, 1, 2, 255])),
      (
        "array", "[\(Self.value("boolean", "false")), \(Self.value("array", "[]"))]",
        .array([false, .array([])])
      ),
      ("dictionary", "{\"a\": \(Self.value("string", "\"b\""))}", .dictionary(["a": "b"])),
    ]
    for (type, text, value) in values {
      #expect(fixture.send("/api/set", Self.body("k", type, text)) == 200, "\(type) \(text)")
      #expect(fixture.ownValues["k"] == value, "\(type) \(text)")
      let shown = try #require(try fixture.setting("k")?["value"] as? [String: Any])
      let again = try JSONSerialization.data(withJSONObject: shown)
      let body =
        "{\"page\": \"p\", \"key\": \"l\", \"value\": \(String(decoding: again, as: UTF8.self))}"
      #expect(fixture.send("/api/set", body) == 200, "\(type) \(text)")
      #expect(fixture.ownValues["l"] == value, "\(type) \(text)")
    }
  }

  // B-6
  @Test func `a change that can't be stored is an error that says so`() throws {
    let fixture = try PageFixture(home: "/proc/nowhere")
    try fixture.enter()
    let body = Self.body("k", "string", "\"x\"")
    #expect(fixture.send("/api/set", body) == 507)
    let answer = try fixture.answer("/api/set", Self.body("k", "string", "\"y\""))
    #expect((answer["error"] as? String)?.contains("only until this page's server ends") == true)
    #expect((try fixture.state()["problems"] as? [String])?.isEmpty == false)
  }

  // B-6, D-11
  @Test func `what an administrator sets meanwhile is neither set, reset nor undone`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    #expect(fixture.send("/api/set", Self.body("k", "integer", "\"1\"")) == 200)
    try fixture.force("{ k = 99; }")
    #expect(fixture.send("/api/set", Self.body("k", "integer", "\"2\"")) == 409)
    #expect(fixture.send("/api/reset", "{\"page\": \"p\", \"keys\": [\"k\"]}") == 409)
    #expect(fixture.send("/api/undo", "{\"page\": \"p\", \"change\": 1}") == 409)
    #expect(fixture.ownValues == ["k": 1])
    let forced = try fixture.setting("k")?["forced"] as? [String: Any]
    #expect((forced?["file"] as? String)?.hasSuffix("/system/managed/T.plist") == true)
  }

  // B-6, M-10
  @Test func `a forced value is shown with the policy that it comes from`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    #expect(fixture.send("/api/set", Self.body("k", "string", "\"1\"")) == 200)
    try fixture.force("{ k = 7; }")
    let entry = Provenance.Entry(
      value: "7", policy: "all/T", version: 3, author: "ann", reason: "because")
    let plist = fixture.directory + "/system/managed/T.plist"
    let bytes = try PropertyList.encode(Provenance(["k": entry]).encoded, as: .binary)
    try Data(bytes).write(to: URL(fileURLWithPath: Provenance.path(besidePlist: plist)))
    #expect(fixture.send("/api/set", Self.body("k", "string", "\"2\"")) == 409)
    let forced = try fixture.setting("k")?["forced"] as? [String: Any]
    let reason = try #require(forced?["reason"] as? String)
    #expect(reason.contains("policy all/T, version 3, by ann: because"))
  }

  // B-6
  @Test func `keys that a bundle does not describe, or only shows, are left alone`() throws {
    let fixture = try PageFixture(Self.items)
    try fixture.enter()
    try fixture.set(1, forKey: "hidden")
    try fixture.set("2", forKey: "version")
    for key in ["hidden", "version"] {
      #expect(fixture.send("/api/reset", "{\"page\": \"p\", \"keys\": [\"\(key)\"]}") >= 400)
    }
    #expect(fixture.send("/api/reset", "{\"page\": \"p\"}") == 200)
    #expect(fixture.ownValues == ["hidden": 1, "version": "2"])
    let changes = try #require(try fixture.state()["changes"] as? [[String: Any]])
    #expect(changes.flatMap { $0["keys"] as? [[String: Any]] ?? [] }.count == 1)
  }

  // B-16
  @Test func `values that could not be read before are no change by another program`() throws {
    let files = FileManager.default
    let fixture = try PageFixture { plist in
      try files.createDirectory(
        atPath: (plist as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try files.createSymbolicLink(atPath: plist, withDestinationPath: plist)
    }
    try fixture.enter()
    let look = { _ = fixture.send("/api/reset", "{\"page\": \"p\", \"keys\": [\"gone\"]}") }
    func show(_ values: String) throws {
      try Data(values.utf8).write(to: URL(fileURLWithPath: fixture.plist + ".draft"))
      try #require(rename(fixture.plist + ".draft", fixture.plist) == 0)
    }
    look()
    try #require((try fixture.state()["problems"] as? [String])?.isEmpty == false)
    try show("{ a = 1; b = 2; }")
    while try fixture.setting("b") == nil { look() }
    #expect((try fixture.state()["changes"] as? [Any])?.isEmpty == true)
    #expect(fixture.ownValues == ["a": "1", "b": "2"])
    // What is changed from now on is.
    try show("{ a = 1; b = 3; }")
    while fixture.ownValues["b"] != "3" {}
    look()
    let changes = try #require(try fixture.state()["changes"] as? [[String: Any]])
    #expect(changes.count == 1)
    #expect(fixture.send("/api/undo", "{\"page\": \"p\", \"change\": 1}") == 200)
    #expect(fixture.ownValues == ["a": "1", "b": "2"])
  }

  // B-16
  @Test func `what was changed and changed back since is not undone`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    #expect(fixture.send("/api/set", Self.body("k", "integer", "\"1\"")) == 200)
    for value in [2, 1] {
      try fixture.set(.integer(Int64(value)), forKey: "k")
      #expect(fixture.send("/api/reset", "{\"page\": \"p\", \"keys\": [\"other\"]}") == 200)
    }
    #expect(fixture.send("/api/undo", "{\"page\": \"p\", \"change\": 1}") == 409)
    #expect(fixture.ownValues == ["k": 1])
  }

  // B-16
  @Test func `the list of changes is bounded by what it takes`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    let text = String(repeating: "x", count: 700_000)
    for round in 0..<12 {
      #expect(fixture.send("/api/set", Self.body("k", "string", "\"\(round)\(text)\"")) == 200)
    }
    let changes = try #require(try fixture.state()["changes"] as? [[String: Any]])
    #expect((1...4).contains(changes.count), "\(changes.count)")
  }

  // B-6
  @Test func `a number is shown in the shortest text that stands for it`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    for text in ["0.1", "1e-05", "-1", "nan", "inf", "1e+300"] {
      fixture.send("/api/set", Self.body("k", "real", "\"\(text)\""))
      let shown = try fixture.setting("k")?["value"] as? [String: Any]
      #expect(shown?["value"] as? String == text)
    }
  }

  // B-15
  @Test func `all pages are told of each change, whoever makes it`() async throws {
    let fixture = try PageFixture()
    try fixture.enter()
    let (events, feed) = AsyncStream.makeStream(of: String.self)
    let first = fixture.server.follow { feed.yield(String(decoding: $0, as: UTF8.self)) }
    let second = fixture.server.follow { feed.yield(String(decoding: $0, as: UTF8.self)) }
    #expect(fixture.server.pagesCount == 2)
    #expect(fixture.send("/api/set", Self.body("k", "string", "\"x\"")) == 200)
    try fixture.set(.string("y"), forKey: "other")
    // What a store of this process sets is noticed with the next look, as a request has.
    #expect(fixture.send("/api/reset", "{\"page\": \"p\", \"keys\": [\"gone\"]}") == 200)
    var texts: [String] = []
    for await text in events {
      texts.append(text)
      if texts.count == 6 { break }
    }
    #expect(texts.filter { $0.contains("\"writer\":\"page\"") }.count == 2)
    #expect(texts.filter { $0.contains("\"writer\":\"elsewhere\"") }.count == 2)
    fixture.server.unfollow(first)
    fixture.server.unfollow(second)
    #expect(fixture.server.pagesCount == 0)
  }

  // B-15
  @Test func `pages are told of changes in the order in which they were made`() throws {
    let fixture = try PageFixture()
    try fixture.enter()
    let numbers = Guarded<[Int]>([])
    let follower = fixture.server.follow { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let found = text.firstMatch(of: #/"number":(\d+)/#), let number = Int(found.1) else {
        return
      }
      numbers.withLock { $0.append(number) }
    }
    let requests = (0..<400).map {
      fixture.post("/api/set", Self.body("k\($0 % 4)", "integer", "\"\($0)\""))
    }
    let server = fixture.server
    DispatchQueue.concurrentPerform(iterations: requests.count) {
      _ = server.respond(to: requests[$0])
    }
    server.unfollow(follower)
    let told = numbers.withLock { $0 }
    #expect(told.count == 400)
    #expect(told == told.sorted())
  }
}
