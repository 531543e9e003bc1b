import FleetModel
import StrataPropertyList

/// What administrators did, as somebody keeps it who does not know the model: numbers and texts.
struct Ledger {
  struct Item: Equatable {
    var value: Int64
    var level: String
    var isEnforced: Bool
    var until: Double?
  }

  struct Version: Equatable {
    var number: Int64
    var priority: Int64
    var items: [String: Item]

    func says(the other: Version) -> Bool { priority == other.priority && items == other.items }
    var isEmpty: Bool { priority == 0 && items.isEmpty }
  }

  /// All that is known of one layer and domain.
  struct Slot: Equatable {
    var stable: Version?
    var trial: Version?
    var reach: Rollout?
    var last: Int64 = 0
    var history: [Version] = []
  }

  enum Refusal: Error { case noCandidate, narrower, noPolicy, nothingEarlier }

  /// By `LAYER/DOMAIN`.
  var slots: [String: Slot] = [:]
  var records: [String: HostRecord] = [:]

  // -- What an edit does; nil if nothing

  static func publish(_ version: Version, _ reach: Rollout?, _ slot: Slot?) -> Slot? {
    var slot = slot ?? Slot()
    let isTried = slot.trial?.says(the: version) == true
    let isStable = slot.stable?.says(the: version) == true
    switch (isTried, isStable, reach) {
    case (true, _, .some): return nil
    case (true, _, nil): return settled(slot)
    case (false, true, nil) where slot.trial != nil:
      (slot.trial, slot.reach) = (nil, nil)
      return slot
    case (false, true, _): return nil
    case (false, false, _): break
    }
    if slot.stable == nil && slot.trial == nil && version.isEmpty { return nil }
    slot.last += 1
    var new = version
    new.number = slot.last
    slot.history.append(new)
    (slot.trial, slot.reach) = reach == nil ? (nil, nil) : (new, reach)
    if reach == nil { slot.stable = new }
    return slot
  }

  private static func settled(_ slot: Slot) -> Slot {
    var slot = slot
    (slot.stable, slot.trial, slot.reach) = (slot.trial, nil, nil)
    return slot
  }

  static func promote(_ reach: Rollout?, _ slot: Slot?) throws(Refusal) -> Slot? {
    guard var slot, slot.trial != nil, let old = slot.reach else { throw .noCandidate }
    guard let reach else { return settled(slot) }
    switch (old, reach) {
    case (.share(let old), .share(let new)): if new < old { throw .narrower }
    case (.ring(let old), .ring(let new)): if new < old { throw .narrower }
    case (.ring, .share(let new)): if new < Rollout.shareMax { throw .narrower }
    case (.share, .ring): throw .narrower
    }
    if old == reach { return nil }
    slot.reach = reach
    return slot
  }

  static func rollback(_ version: Version?, _ slot: Slot?) throws(Refusal) -> Slot? {
    guard var slot else { throw .noPolicy }
    if version == nil && slot.trial != nil {
      (slot.trial, slot.reach) = (nil, nil)
      return slot
    }
    guard let version else { throw .nothingEarlier }
    return publish(version, nil, slot)
  }

  // -- What is refused

  /// Whether two groups have a key in the same way with the same priority, one of them changed.
  static func clash(_ slots: [String: Slot], changed: Set<String>) -> Bool {
    let groups = slots.filter { $0.key.hasPrefix("group:") }
    for (one, left) in groups {
      for (other, right) in groups
      where one < other && domain(one) == domain(other)
        && (changed.contains(one) || changed.contains(other))
      {
        for first in [left.stable, left.trial].compactMap({ $0 }) {
          for second in [right.stable, right.trial].compactMap({ $0 }) {
            if first.priority == second.priority, share(first.items, second.items) { return true }
          }
        }
      }
    }
    return false
  }

  private static func share(_ left: [String: Item], _ right: [String: Item]) -> Bool {
    left.contains { key, item in
      right[key].map { $0.level == item.level && $0.isEnforced == item.isEnforced } ?? false
    }
  }

  static func domain(_ slot: String) -> String {
    slot.split(separator: "/").last.map(String.init) ?? ""
  }
}

// -- Between the ledger and the model

extension Ledger.Version {
  init(_ version: Policy.Version) {
    self.init(
      number: version.number, priority: version.content.priority,
      items: version.content.entries.mapValues { entry in
        var value: Int64 = -1
        if case .integer(let number) = entry.value { value = number }
        return Ledger.Item(
          value: value, level: entry.level.rawValue, isEnforced: entry.isEnforced,
          until: entry.until?.secondsSinceReference)
      })
  }

  var content: PolicyContent {
    PolicyContent(
      priority: priority,
      entries: items.mapValues { item in
        PolicyEntry(
          .integer(item.value), PolicyEntry.Level(rawValue: item.level) ?? .forced,
          isEnforced: item.isEnforced,
          until: item.until.map { PropertyListDate(secondsSinceReference: $0) })
      })
  }
}

extension Ledger.Slot {
  init(_ policy: Policy) {
    self.init(
      stable: policy.stable.map(Ledger.Version.init),
      trial: policy.candidate.map { Ledger.Version($0.version) },
      reach: policy.candidate?.rollout, last: policy.lastNumber)
  }
}

// -- In a line

extension Ledger.Slot: CustomStringConvertible {
  var description: String {
    let trial = trial.map { ", \($0) on \(reach.map { "\($0)" } ?? "")" } ?? ""
    return (stable.map { "\($0)" } ?? "nothing") + trial
  }
}

extension Ledger.Version: CustomStringConvertible {
  var description: String {
    let items = items.sorted { $0.key < $1.key }.map { key, item in
      "\(key) \(item.level) \(item.value)" + (item.isEnforced ? " enforced" : "")
        + (item.until.map { " until \($0)" } ?? "")
    }
    return "version \(number), priority \(priority): \(items)"
  }
}
