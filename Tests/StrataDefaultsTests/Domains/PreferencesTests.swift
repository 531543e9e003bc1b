import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// One exact place at a time.
struct PreferencesTests {
  private let fixture: DefaultsFixture

  init() throws {
    fixture = try DefaultsFixture(
      arguments: ["argument": .integer(1)],
      system: ["managed/com.example.app.plist": ["forced": .string("managed")]])
  }

  private func place(
    _ identifier: String = DefaultsFixture.identifier, user: Preferences.User = .current,
    host: Preferences.Host = .any
  ) throws -> Preferences {
    try Preferences(
      DomainIdentifier(identifier, isSetUID: false), user: user, host: host, in: fixture.process)
  }

  private func search(_ identifier: String = DefaultsFixture.identifier) throws
    -> Preferences.Search
  {
    Preferences.Search(
      fixture.process.stack(of: try DomainIdentifier(identifier, isSetUID: false)))
  }

  // W-17
  @Test func `what is set in a program's own place is recorded, too`() throws {
    let changes = try fixture.defaults.recordChanges {
      try place().setMultiple(["b": 2, "a": 1], removing: ["c"])
      try place(host: .current).set(3, forKey: "a")
    }
    #expect(changes == [.set("a", 1), .set("b", 2), .remove("c")])
  }

  // D-30
  @Test func `each place has its own values and the search list has the first`() throws {
    let any = Preferences.anyApplication
    let places = [
      ("host", try place(host: .current)), ("own", try place()),
      ("global host", try place(any, host: .current)), ("global", try place(any)),
      ("everyone", try place(user: .any)), ("global everyone", try place(any, user: .any)),
    ]
    let fresh = try search()
    for (name, place) in places {
      #expect(place.keys == [])
      #expect(place.value(forKey: "key") == nil)
      try place.set(name, forKey: "key")
      try place.set(name, forKey: name)
    }
    for (name, place) in places {
      #expect(place.values() as? [String: String] == ["key": name, name: name])
      #expect(place.keys == ["key", name].sorted())
      #expect(place.synchronize())
    }
    for (name, place) in places {
      #expect(fresh.value(forKey: "key") as? String == name)
      #expect(fixture.defaults.string(forKey: "key") == name)
      try place.set(nil, forKey: "key")
      #expect(place.value(forKey: "key") == nil)
    }
    #expect(fresh.value(forKey: "key") == nil)
  }

  // D-30
  @Test func `what is for all users is one place for both hosts`() throws {
    try place(user: .any, host: .current).set(1, forKey: "key")
    #expect(try place(user: .any, host: .any).value(forKey: "key") as? Int == 1)
  }

  // D-30
  @Test func `a place shows neither arguments nor forced nor registered values`() throws {
    fixture.defaults.register(defaults: ["registered": 1])
    for key in ["argument", "forced", "registered", "NSDecimalSeparator"] {
      #expect(try search().value(forKey: key) != nil, "\(key)")
      #expect(try place().value(forKey: key) == nil, "\(key)")
    }
    try place().set("set", forKey: "forced")
    #expect(try place().value(forKey: "forced") as? String == "set")
    #expect(try search().value(forKey: "forced") as? String == "managed")
    #expect(try search().isForced("forced"))
    #expect(try !search().isForced("argument"))
    #expect(try !search("suite").isForced("forced"))
  }

  // D-30
  @Test func `several keys are read, set and removed together`() throws {
    let own = try place()
    try own.setMultiple(["a": 1, "b": 2, "c": 3])
    try own.setMultiple(["a": 4, "d": 5, "e": 6], removing: ["b", "e", "never"])
    #expect(own.values() as? [String: Int] == ["a": 4, "c": 3, "d": 5])
    #expect(own.values(forKeys: ["a", "b", "d"]) as? [String: Int] == ["a": 4, "d": 5])
    #expect(own.values(forKeys: []).isEmpty)
    try own.setMultiple([:])
    #expect(own.keys == ["a", "c", "d"])
  }

  // D-30
  @Test func `when one of several can't be set none is`() throws {
    let own = try place()
    try own.set(1, forKey: "a")
    for values in [["a": 2, "b": Date.distantPast...Date.now], ["a": 2, "b\0": 3]]
      as [[String: Any]]
    {
      #expect(throws: DefaultsError.self) { try own.setMultiple(values) }
    }
    #expect(throws: DefaultsError.self) { try own.setMultiple(["a": 2], removing: ["b\0"]) }
    let error = #expect(throws: DefaultsError.self) { try own.set(1...2, forKey: "range") }
    #expect(error?.key == "range")
    #expect(error?.localizedDescription.contains("key range") == true)
    #expect(own.values() as? [String: Int] == ["a": 1])
  }

  // D-8, D-30
  @Test func `what can't name a place is refused with the reason`() throws {
    for name in ["", "a\0", "/", "/" + String(repeating: "x", count: 201)] {
      let error = #expect(throws: DefaultsError.self) { try Preferences(name) }
      #expect(error?.reason.contains("can't name a domain") == true, "\(name)")
      #expect(throws: DefaultsError.self) { try Preferences.Search(name) }
    }
    let path = fixture.directory + "/list"
    try place(path).set(1, forKey: "key")
    #expect(try fixture.suite(path).integer(forKey: "key") == 1)
    for (user, host) in [(.any, .any), (.current, .current), (.any, .current)]
      as [(Preferences.User, Preferences.Host)]
    {
      let error = #expect(throws: DefaultsError.self) { try place(path, user: user, host: host) }
      #expect(error?.reason.contains("\(path).plist has no place for") == true)
    }
  }

  // -- Getters

  // D-30
  @Test(
    arguments: [
      (.boolean(true), true), (.boolean(false), false), (.integer(1), true), (.integer(0), false),
      (.integer(-7), true), (.unsigned(.max), true), (.real(0.5), true), (.single(0), false),
      (.string("true"), true), (.string("YES"), true), (.string("1"), true),
      (.string("False"), false), (.string("no"), false), (.string("0"), false),
      (.string("2"), nil), (.string("on"), nil), (.string(""), nil), (.string(" yes"), nil),
      (.data([1]), nil), (.array([.boolean(true)]), nil),
      (.date(.init(secondsSinceReference: 1)), nil),
      (nil, nil),
    ] as [(PropertyListValue?, Bool?)])
  func `a Boolean exists where the value has the form of one`(
    value: PropertyListValue?, expected: Bool?
  ) throws {
    #expect(try getters(of: value).boolean(forKey: "key") == expected)
  }

  // D-30
  @Test(
    arguments: [
      (.integer(-5), -5), (.integer(.max), .max), (.unsigned(.max), nil), (.unsigned(7), 7),
      (.real(3), 3), (.real(3.5), nil), (.real(.nan), nil), (.real(1e300), nil), (.single(-2), -2),
      (.string("12"), 12), (.string("-12"), -12), (.string("12a"), nil), (.string(""), nil),
      (.string("1.5"), nil), (.boolean(true), nil), (.data([1]), nil), (.dictionary([:]), nil),
      (nil, nil),
    ] as [(PropertyListValue?, Int?)])
  func `an integer exists where the value has the form of one`(
    value: PropertyListValue?, expected: Int?
  ) throws {
    #expect(try getters(of: value).integer(forKey: "key") == expected)
  }

  private func getters(of value: PropertyListValue?) throws -> Preferences.Search {
    let fixture = try DefaultsFixture(arguments: value.map { ["key": $0] } ?? [:])
    return Preferences.Search(fixture.defaults.stack)
  }
}
