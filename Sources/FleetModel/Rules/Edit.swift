package import StrataPropertyList

/// What an administrator does to one policy.
package enum Edit: Equatable, Sendable {
  /// Makes this its content: on all hosts, or on those of a roll-out. What is its content already
  /// becomes another version only if it renews: if hosts have one that the store has lost.
  case publish(PolicyContent, to: Rollout?, renews: Bool = false)
  /// Lets more hosts have the candidate; nil for all.
  case promote(to: Rollout?)
  /// Takes the candidate back or, without one, makes an earlier version's content its own again.
  case rollback(to: Policy.Version?)

  /// Who edits, why and when.
  package struct Circumstances: Equatable, Sendable {
    package var author: String
    package var reason: String
    package var time: PropertyListDate

    package init(author: String, reason: String, time: PropertyListDate) {
      self.author = author
      self.reason = reason
      self.time = time
    }
  }

  /// The name of the action in the audit.
  package var action: String {
    switch self {
    case .publish: "publish"
    case .promote: "promote"
    case .rollback: "rollback"
    }
  }

  /// The policy after the edit; nil if it changes nothing.
  ///
  /// - Parameters:
  ///   - lastNumber: the highest that is known from elsewhere: from the history of a policy that is
  ///     not there any more, or from hosts that have what the store has lost.
  ///   - isGone: whether the policy is not there any more.
  package func apply(
    to policy: Policy?, named name: PolicyName, after lastNumber: Int64 = 0, isGone: Bool = false,
    _ circumstances: Circumstances
  ) throws(FleetProblem) -> Policy? {
    switch self {
    case .publish(let content, let rollout, let renews):
      if isGone, rollout != nil {
        throw FleetProblem(
          name.text,
          "hosts can have a version that was deleted from the store, beside which they refuse a "
            + "candidate; publish it on all hosts first")
      }
      return Self.publish(
        content, rollout, policy ?? Policy(name, lastNumber: 0), circumstances,
        after: lastNumber,
        // Hosts still have what a policy says that was deleted.
        isNew: isGone || renews)
    case .promote(let rollout):
      guard let policy, let candidate = policy.candidate else {
        throw FleetProblem(name.text, "there is no candidate to promote")
      }
      return try Self.promote(policy, candidate, rollout)
    case .rollback(let version):
      guard var next = policy else { throw FleetProblem(name.text, "there is no such policy") }
      if next.candidate != nil, version == nil {
        next.candidate = nil
        return next
      }
      guard let version else {
        throw FleetProblem(name.text, "there is no earlier version to go back to")
      }
      return Self.publish(version.content, nil, next, circumstances, after: lastNumber)
    }
  }

  /// - Parameter isNew: whether there is to be another version also of the same content.
  private static func publish(
    _ content: PolicyContent, _ rollout: Rollout?, _ policy: Policy,
    _ circumstances: Circumstances, after lastNumber: Int64, isNew: Bool = false
  ) -> Policy? {
    var next = policy
    next.candidate = nil
    if !isNew {
      if let candidate = policy.candidate, candidate.version.says(content) {
        // Published once more: a roll-out never shrinks that way.
        guard rollout == nil else { return nil }
        next.stable = candidate.version
        return next
      }
      if policy.stable?.says(content) == true {
        return policy.candidate == nil || rollout != nil ? nil : next
      }
      // Nothing is nothing, with or without a version that says so.
      let isSilent = policy.stable == nil && policy.candidate == nil
      if isSilent, content == PolicyContent() { return nil }
    }
    next.lastNumber = max(next.lastNumber, lastNumber) + 1
    let version = Policy.Version(
      number: next.lastNumber, author: circumstances.author, reason: circumstances.reason,
      published: circumstances.time, content: content)
    if let rollout {
      next.candidate = Policy.Candidate(version, rollout)
    } else {
      next.stable = version
    }
    return next
  }

  private static func promote(
    _ policy: Policy, _ candidate: Policy.Candidate, _ rollout: Rollout?
  ) throws(FleetProblem) -> Policy? {
    var next = policy
    guard let rollout else {
      next.stable = candidate.version
      next.candidate = nil
      return next
    }
    if rollout == candidate.rollout { return nil }
    switch (candidate.rollout, rollout) {
    case (.share(let old), .share(let new)) where new < old:
      throw FleetProblem(policy.name.text, "the candidate already has a larger share of the hosts")
    case (.ring(let old), .ring(let new)) where new < old:
      throw FleetProblem(policy.name.text, "the candidate has already reached ring \(old)")
    case (.share, .ring):
      throw FleetProblem(
        policy.name.text,
        "the candidate is on a share of the hosts, of which a ring might not have all; promote it "
          + "with --to, or take it back and publish it with --ring")
    case (.ring, .share(let new)) where new < Rollout.shareMax:
      throw FleetProblem(
        policy.name.text,
        "the candidate is on the hosts of rings, of which a share might not have all; promote it "
          + "with --ring or to all hosts, or take it back and publish it with --canary")
    default: break
    }
    next.candidate?.rollout = rollout
    return next
  }
}

extension Policy.Version {
  /// Whether this is its content, and nothing else is in the store.
  func says(_ content: PolicyContent) -> Bool { self.content == content && unread == nil }
}
