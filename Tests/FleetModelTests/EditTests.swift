import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList
import Testing

/// Publishing, promoting and taking back.
struct EditTests {
  private let old = PolicyContent(entries: ["Theme": PolicyEntry("old")])
  private let new = PolicyContent(entries: ["Theme": PolicyEntry("new")])

  private func apply(_ edit: Edit, to policy: Policy?) throws -> Policy? {
    try edit.apply(
      to: policy, named: try PolicyFixture.name("all"), PolicyFixture.circumstances)
  }

  // M-8
  @Test func `publishing makes a version, and publishing the same again makes none`() throws {
    let first = try #require(try apply(.publish(old, to: nil), to: nil))
    #expect(first.stable?.number == 1)
    #expect(try apply(.publish(old, to: nil), to: first) == nil)
    #expect(try apply(.publish(old, to: .share(500)), to: first) == nil)
    let second = try #require(try apply(.publish(new, to: nil), to: first))
    #expect(second.stable?.number == 2)
    #expect(second.stable?.content == new)
    #expect(try apply(.publish(PolicyContent(), to: nil), to: nil) == nil)
  }

  // M-9
  @Test func `a candidate is promoted step by step, and never to fewer hosts`() throws {
    let first = try apply(.publish(old, to: nil), to: nil)
    let canary = try #require(try apply(.publish(new, to: .share(500)), to: first))
    #expect(canary.stable?.content == old)
    #expect(canary.candidate?.version.number == 2)
    #expect(try apply(.publish(new, to: .share(500)), to: canary) == nil)
    let more = try #require(try apply(.promote(to: .share(2_000)), to: canary))
    #expect(more.candidate?.rollout == .share(2_000))
    #expect(try apply(.publish(new, to: .share(500)), to: more) == nil)
    #expect(throws: FleetProblem.self) { try apply(.promote(to: .share(100)), to: more) }
    let all = try #require(try apply(.promote(to: nil), to: more))
    #expect(all.stable?.number == 2)
    #expect(all.candidate == nil)
    #expect(all.lastNumber == 2)
    #expect(throws: FleetProblem.self) { try apply(.promote(to: nil), to: all) }
  }

  // M-9
  @Test func `promotion does not change from a share to rings or back, except to all hosts`()
    throws
  {
    let byShare = try apply(.publish(new, to: .share(9_000)), to: nil)
    let byRing = try apply(.publish(new, to: .ring(3)), to: nil)
    for (policy, rollout) in [
      (byShare, Rollout.ring(0)), (byShare, .ring(9)), (byRing, .share(9_999)),
    ] {
      let problem = try #require(
        throws: FleetProblem.self, "\(rollout)"
      ) { try apply(.promote(to: rollout), to: policy) }
      #expect(problem.text.contains("--"), "it says what to do: \(problem)")
    }
    let all = try #require(try apply(.promote(to: .share(10_000)), to: byRing))
    #expect(all.candidate?.rollout == .share(10_000))
  }

  /// The entries of a policy in the store, after a newer program has added to them.
  private static func newer(_ policy: Policy) throws -> (String, [String: PropertyListValue]) {
    var entries = try #require(policy.encoded.dictionaryValue)
    entries["audience"] = "everyone"
    for part in ["stable", "candidate"] {
      guard var version = entries[part]?.dictionaryValue else { continue }
      version["schedule"] = .dictionary(["Theme": "nightly"])
      version["until"] = .dictionary(["Gone": .date(PolicyFixture.date(9))])
      entries[part] = .dictionary(version)
    }
    return (FleetKey.live(policy.name).text, entries)
  }

  private static func written(
    _ edit: Edit, _ key: String, _ entries: [String: PropertyListValue]
  ) throws -> [String: PropertyListValue] {
    let bytes = try PropertyList.encode(.dictionary(entries), as: .binary)
    let publication = Publication(
      StoreSnapshot(revision: 9, values: [StoredValue(key: key, value: bytes, revision: 8)]))
    let changes = try publication.changes(
      by: [(try PolicyFixture.name("all"), edit)], PolicyFixture.circumstances)
    let after = try #require(changes.first).after.bytes()
    return try #require(try PropertyList.decode(after).value.dictionaryValue)
  }

  // M-8, M-9
  @Test func `what a newer program has published stays whole with its version`() throws {
    let first = try #require(try apply(.publish(old, to: nil), to: nil))
    let canary = try #require(try apply(.publish(new, to: .share(500)), to: first))
    let (key, entries) = try Self.newer(canary)
    let (stable, candidate) = (entries["stable"], entries["candidate"]?.dictionaryValue)
    let more = try Self.written(.promote(to: .share(2_000)), key, entries)
    #expect(more["stable"] == stable && more["audience"] == "everyone")
    #expect(more["candidate"] == .dictionary(candidate?.merging(["share": 2_000]) { $1 } ?? [:]))
    let all = try Self.written(.promote(to: nil), key, entries)
    #expect(all["stable"] == .dictionary(candidate?.filter { $0.key != "share" } ?? [:]))
    let back = try Self.written(.rollback(to: nil), key, entries)
    #expect(back["stable"] == stable && back["candidate"] == nil)
    let other = PolicyContent(entries: ["Theme": PolicyEntry("other")])
    let again = try Self.written(.publish(other, to: .share(1)), key, entries)
    #expect(again["stable"] == stable)
    // The same values once more, but only these.
    let mended = try Self.written(.publish(new, to: nil), key, entries)
    #expect(mended["stable"]?.dictionaryValue?["schedule"] == nil)
    #expect(mended["stable"]?.dictionaryValue?["number"] == 3)
  }

  // M-8
  @Test func `a candidate that is taken back leaves its number unused`() throws {
    let first = try apply(.publish(old, to: nil), to: nil)
    let canary = try apply(.publish(new, to: .ring(1)), to: first)
    let back = try #require(try apply(.rollback(to: nil), to: canary))
    #expect(back.candidate == nil)
    #expect(back.stable?.content == old)
    let again = try #require(try apply(.publish(new, to: nil), to: back))
    #expect(again.stable?.number == 3)
  }

  // M-8
  @Test func `going back publishes the earlier content as a new version`() throws {
    let first = try #require(try apply(.publish(old, to: nil), to: nil))
    let second = try apply(.publish(new, to: nil), to: first)
    let back = try #require(try apply(.rollback(to: first.stable), to: second))
    #expect(back.stable?.number == 3)
    #expect(back.stable?.content == old)
  }

  // M-8
  @Test func `publishing writes policy, history and audit in one transaction, if none changed`()
    throws
  {
    let name = try PolicyFixture.name("group:build")
    let before = Policy(
      name, stable: PolicyFixture.version(1, old), lastNumber: 1)
    let key = FleetKey.live(name).text
    let publication = Publication(
      StoreSnapshot(
        revision: 9, values: [StoredValue(key: key, value: try before.bytes(), revision: 5)]))
    let changes = try publication.changes(
      by: [(name, .publish(new, to: nil))], PolicyFixture.circumstances)
    let transaction = try publication.transaction(
      for: changes, "publish", PolicyFixture.circumstances, unique: 1)
    let history = FleetKey.history(name, version: 2).text
    #expect(
      transaction.conditions == [
        .revision(of: key, is: 5), .revision(of: history, is: 0),
        .unchanged(FleetKey.policies(of: .group), since: 9),
      ])
    let keys = transaction.operations.compactMap { operation -> String? in
      if case .put(let key, _, _) = operation { key } else { nil }
    }
    #expect(keys.prefix(2) == [key, history])
    #expect(keys.count == 3)
    #expect(FleetKey.allAudits.contains(keys[2]))
  }

  // M-6
  @Test func `publishing refuses an equal priority of two groups, one of them in the store`() throws
  {
    let stored = try PolicyFixture.policy("group:test", ["Theme": PolicyEntry("x")])
    let publication = Publication(
      StoreSnapshot(
        revision: 9,
        values: [
          StoredValue(key: FleetKey.live(stored.name).text, value: try stored.bytes(), revision: 5)
        ]))
    let name = try PolicyFixture.name("group:build")
    #expect(throws: FleetProblem.self) {
      try publication.changes(by: [(name, .publish(new, to: nil))], PolicyFixture.circumstances)
    }
    let other = PolicyContent(priority: 1, entries: new.entries)
    #expect(
      try publication.changes(
        by: [(name, .publish(other, to: nil))], PolicyFixture.circumstances
      ).count == 1)
  }

  // M-6
  @Test func `a conflict of others refuses nothing, even if their names begin alike`() throws {
    let stored = try ["group:build", "group:test"].map {
      try PolicyFixture.policy($0, domain: "com.example.apps", ["Theme": PolicyEntry("x")])
    }
    let publication = Publication(
      StoreSnapshot(
        revision: 9,
        values: try stored.map {
          StoredValue(key: FleetKey.live($0.name).text, value: try $0.bytes(), revision: 5)
        }))
    for layer in ["group:build", "group:test"] {
      let name = try PolicyFixture.name(layer)
      let changes = try publication.changes(
        by: [(name, .publish(new, to: nil))], PolicyFixture.circumstances)
      #expect(changes.count == 1)
    }
  }

  // M-7, M-8
  @Test func `publishing refuses what hosts would leave out, and says what to do`() throws {
    let publication = Publication(StoreSnapshot(revision: 9, values: []))
    func refusal(_ layer: String, _ entries: [String: PolicyEntry]) throws -> FleetProblem? {
      let edit = Edit.publish(PolicyContent(entries: entries), to: nil)
      return #expect(throws: FleetProblem.self) {
        try publication.changes(
          by: [(try PolicyFixture.name(layer), edit)], PolicyFixture.circumstances)
      }
    }
    let entry = PolicyEntry(2, .recommended, isEnforced: true, reason: "because")
    #expect(
      try refusal("user:ann", ["Size": entry])
        == FleetProblem(
          "user:ann/com.example.app",
          "Size is recommended, which a policy for a user can't do; make it forced or once, or "
            + "recommend it in a policy for all, os, group or host"))
    #expect(try refusal("all", ["": PolicyEntry(2)])?.text.contains("a key is not empty") == true)
    let allowed = Edit.publish(PolicyContent(entries: ["Size": entry]), to: nil)
    let changes = try publication.changes(
      by: [(try PolicyFixture.name("all"), allowed)], PolicyFixture.circumstances)
    #expect(changes.count == 1)
  }

  // M-12
  @Test func `what can't be read in the store is not replaced`() throws {
    let name = try PolicyFixture.name("all")
    let publication = Publication(
      StoreSnapshot(
        revision: 9,
        values: [StoredValue(key: FleetKey.live(name).text, value: [1, 2], revision: 5)]))
    #expect(publication.storedProblems.count == 1)
    #expect(throws: FleetProblem.self) {
      try publication.changes(by: [(name, .publish(new, to: nil))], PolicyFixture.circumstances)
    }
  }
}
