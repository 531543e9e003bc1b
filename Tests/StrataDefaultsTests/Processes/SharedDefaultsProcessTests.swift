import Foundation
import StrataTesting
import Testing

import class StrataDefaults.UserDefaults

/// What several processes that use the same settings see of each other.
@Suite(.serialized, .waiting) struct SharedDefaultsProcessTests {
  // V-26
  @Test func `a set is seen by every other process when it returns`() throws {
    let fixture = try DefaultsFixture()
    let probe = try ProbeProcess.serving(fixture)
    for number in 0..<200 {
      fixture.defaults.set(number, forKey: "here")
      #expect(try probe.ask("get", "integer", "here") == "\(number)")
      try probe.ask("set", "there", "integer", "\(number)")
      #expect(fixture.defaults.integer(forKey: "there") == number)
    }
    fixture.defaults.removeObject(forKey: "here")
    #expect(try probe.ask("get", "type", "here") == "nil")
    try probe.ask("set-nil", "there")
    #expect(fixture.defaults.object(forKey: "there") == nil)
  }

  // O-11
  @Test func `a change is told in the process that makes it and in no other`() throws {
    let fixture = try DefaultsFixture()
    let probe = try ProbeProcess.serving(fixture)
    try probe.ask("observe")
    fixture.defaults.set(1, forKey: "key")
    #expect(try probe.ask("get", "integer", "key") == "1")
    #expect(try probe.ask("notices") == "0")
    try probe.ask("set", "key", "integer", "2")
    #expect(try probe.ask("notices") == "1")
  }

  // V-27
  @Test func `standard is one object, and its settings are those of its identifier`() throws {
    let fixture = try DefaultsFixture()
    fixture.defaults.set("x", forKey: "key")
    let probe = try ProbeProcess.serving(fixture)
    #expect(try probe.ask("is-standard") == "true")
    #expect(try probe.ask("get", "text", "key") == "x")
    try probe.finish()
  }

  @Test func `settings outlive a process that was killed and saved nothing`() throws {
    let fixture = try DefaultsFixture()
    let first = try ProbeProcess.serving(fixture)
    try first.ask("set", "number", "integer", "\(Int.max)")
    try first.ask("set", "text", "text", "a b")
    first.kill()
    let second = try ProbeProcess.serving(fixture)
    #expect(try second.ask("get", "integer", "number") == "\(Int.max)")
    #expect(try second.ask("get", "text", "text") == "a b")
    try second.ask("remove", "text")
    second.kill()
    let third = try ProbeProcess.serving(fixture)
    #expect(try third.ask("get", "text", "text") == "nil")
    #expect(try third.ask("own") == "1")
    try third.finish()
  }

  @Test func `setting nil returns at once and removes`() throws {
    let probe = try ProbeProcess.serving(try DefaultsFixture())
    try probe.ask("set", "key", "integer", "1")
    #expect(try probe.ask("set-nil", "key") == "ok")
    #expect(try probe.ask("get", "type", "key") == "nil")
    #expect(try probe.ask("set-nil", "key") == "ok")
  }
}
