import StrataDomains
package import StrataPropertyList

/// The form of a policy in the store: one property list, in the binary format.
extension Policy {
  /// The maximum size of a policy in the store.
  package static let sizeMax = 64 << 10

  /// The highest number of a version that the keys of the history keep in order.
  package static let numberMax: Int64 = 9_999_999_999

  package var encoded: PropertyListValue {
    var entries: [String: PropertyListValue] = [
      "domain": .string(name.domain.name), "lastNumber": .integer(lastNumber),
    ]
    entries["stable"] = stable.map { .dictionary($0.encoded) }
    if let candidate {
      var version = candidate.version.encoded
      switch candidate.rollout {
      case .share(let share): version["share"] = .integer(Int64(share))
      case .ring(let ring): version["ring"] = .integer(ring)
      }
      entries["candidate"] = .dictionary(version)
    }
    return .dictionary(unread.merging(entries) { $1 })
  }

  package func bytes() throws(FleetProblem) -> [UInt8] {
    let bytes = try Record.bytes(encoded, at: name.text)
    if bytes.count > Self.sizeMax {
      throw FleetProblem(
        name.text, "the policy has \(bytes.count) bytes, and may have \(Self.sizeMax)")
    }
    return bytes
  }

  /// What bytes of the store say, as far as they are valid, and what is wrong with the rest.
  ///
  /// - Throws: if nothing of them can be used.
  package static func decode(
    _ bytes: [UInt8], key: String
  ) throws(FleetProblem) -> (policy: Policy, problems: [FleetProblem]) {
    guard let (layer, fileName) = FleetKey.livePart(of: key) else {
      throw FleetProblem(key, "this is not the key of a policy")
    }
    if bytes.count > sizeMax {
      throw FleetProblem(key, "the policy has \(bytes.count) bytes, and may have \(sizeMax)")
    }
    var fields = Fields(try Record.entries(bytes, at: key), at: key)
    let name = try Self.name(fields.text("domain"), layer, fileName, key)
    guard let lastNumber = fields.integer("lastNumber"), (1...numberMax).contains(lastNumber)
    else {
      throw FleetProblem(key, "the policy has no valid number of its last version")
    }
    var policy = Policy(name, lastNumber: lastNumber)
    var problems: [FleetProblem] = []
    if let entries = fields.dictionary("stable") {
      var fields = Fields(entries, at: name.text)
      policy.stable = try Version.take(from: &fields, of: policy)
      problems += fields.finished()
    }
    if let entries = fields.dictionary("candidate") {
      var fields = Fields(entries, at: name.text)
      policy.candidate = try candidate(from: &fields, of: policy)
      problems += fields.finished()
    }
    // Without its version a policy would say nothing, which lifts what it said before.
    if let problem = fields.problems.first { throw problem }
    policy.unread = fields.entries
    return (policy, fields.finished() + problems)
  }

  private static func candidate(
    from fields: inout Fields, of policy: Policy
  ) throws(FleetProblem) -> Candidate {
    let rollout: Rollout
    if let share = fields.integer("share"), (0...Int64(Rollout.shareMax)).contains(share) {
      rollout = .share(Int(share))
    } else if let ring = fields.integer("ring") {
      rollout = .ring(ring)
    } else {
      throw FleetProblem(policy.name.text, "the candidate has neither a valid share nor a ring")
    }
    return Candidate(try Version.take(from: &fields, of: policy), rollout)
  }

  /// The name, which must be what the key says: a policy that names another domain is refused.
  private static func name(
    _ domain: String?, _ layer: PolicyLayer, _ fileName: String, _ key: String
  ) throws(FleetProblem) -> PolicyName {
    guard let domain else { throw FleetProblem(key, "the policy does not name its domain") }
    let identifier: DomainIdentifier
    do throws(DomainIdentifierError) {
      // As in a set-user-ID process: no domain is a path.
      identifier = try DomainIdentifier(domain, isSetUID: true)
    } catch {
      throw FleetProblem(key, error.description)
    }
    guard let name = PolicyName(layer, identifier), name.fileName.utf8.elementsEqual(fileName.utf8)
    else {
      throw FleetProblem(key, "the policy is for another domain, \(domain)")
    }
    return name
  }
}

extension Policy.Version {
  package var encoded: [String: PropertyListValue] {
    unread
      ?? content.encoded.merging([
        "number": .integer(number), "author": .string(author), "reason": .string(reason),
        "published": .date(published),
      ]) { $1 }
  }

  /// A version from the history, as far as it is valid, and what is wrong with the rest.
  package static func decode(
    _ bytes: [UInt8], key: String, of name: PolicyName
  ) throws(FleetProblem) -> (version: Policy.Version, problems: [FleetProblem]) {
    if bytes.count > Policy.sizeMax {
      throw FleetProblem(key, "the version has \(bytes.count) bytes")
    }
    var fields = Fields(try Record.entries(bytes, at: key), at: key)
    let version = try take(from: &fields, of: Policy(name, lastNumber: Policy.numberMax))
    guard FleetKey.history(name, version: version.number).text == key else {
      throw FleetProblem(key, "the value is another version, \(version.number)")
    }
    return (version, fields.finished())
  }

  static func take(
    from fields: inout Fields, of policy: Policy
  ) throws(FleetProblem) -> Policy.Version {
    guard let number = fields.integer("number"), (1...policy.lastNumber).contains(number) else {
      throw FleetProblem(policy.name.text, "the version has no valid number")
    }
    var version = Policy.Version(
      number: number, author: fields.text("author") ?? "", reason: fields.text("reason") ?? "",
      published: fields.date("published") ?? PropertyListDate(secondsSinceReference: 0),
      content: .take(from: &fields, for: policy.name.layer))
    if !fields.finished().isEmpty {
      version.unread = fields.all.filter { !["share", "ring"].contains($0.key) }
    }
    return version
  }
}
