import FleetModel

/// What a host must have, worked out key by key over all slots.
struct Oracle {
  struct Answer: Equatable {
    var value: Int64
    var slot: String
    var version: Int64
  }

  let host: String
  let os: String
  let record: HostRecord
  let now: Double
  let slots: [String: Ledger.Slot]

  static let keys = ["a", "b", "c"]
  static let domains = ["com.example.one", "com.example.two"]

  private static let kinds = ["all", "os", "group", "host", "user"]

  private func isOurs(_ layer: [String], _ user: String?) -> Bool {
    switch layer[0] {
    case "all": true
    case "os": layer[1] == record.os ?? os
    case "group": record.groups.contains(layer[1])
    case "host": layer[1] == host
    default: record.users.contains(layer[1]) && (user == nil || layer[1] == user)
    }
  }

  private func inForce(_ name: String, _ slot: Ledger.Slot) -> Ledger.Version? {
    guard let trial = slot.trial, let reach = slot.reach else { return slot.stable }
    switch reach {
    case .ring(let ring): return record.ring <= ring ? trial : slot.stable
    case .share(let share):
      return position(name, trial.number) < share ? trial : slot.stable
    }
  }

  private func position(_ slot: String, _ version: Int64) -> Int {
    let parts = slot.split(separator: "/").map(String.init)
    do {
      return Rollout.position(of: host, version, try .sample(parts[0], parts[1]))
    } catch {
      return Rollout.shareMax
    }
  }

  /// The version of each slot of this host's; nil where none is in force.
  var ours: [String: Int64?] {
    var versions: [String: Int64?] = [:]
    for (name, slot) in slots where isOurs(layer(name), nil) {
      versions.updateValue(inForce(name, slot)?.number, forKey: name)
    }
    return versions
  }

  var versions: [String: Int64] { ours.compactMapValues { $0 } }

  private func layer(_ slot: String) -> [String] {
    slot.split(separator: "/")[0].split(separator: ":").map(String.init)
  }

  /// The best claim for one key.
  func answer(_ level: String, _ user: String?, _ domain: String, _ key: String) -> Answer? {
    var best: (rank: [Int64], name: String, answer: Answer)?
    for (name, slot) in slots where Ledger.domain(name) == domain {
      let layer = layer(name)
      guard layer[0] != "user" || user != nil, isOurs(layer, user),
        let kind = Self.kinds.firstIndex(of: layer[0]), let version = inForce(name, slot),
        let item = version.items[key], item.level == level, item.until.map({ $0 > now }) ?? true
      else { continue }
      let height = Int64(item.isEnforced ? -kind : kind)
      let rank = [item.isEnforced ? 1 : 0, height, version.priority]
      let answer = Answer(value: item.value, slot: name, version: version.number)
      if let other = best {
        if rank.lexicographicallyPrecedes(other.rank) { continue }
        if rank == other.rank && other.name < name { continue }
      }
      best = (rank, name, answer)
    }
    return best?.answer
  }

  /// All files below the system directory, with what each key comes from.
  var files: [String: [String: Answer]] {
    var files: [String: [String: Answer]] = [:]
    for domain in Self.domains {
      for key in Self.keys {
        files["managed/\(domain)", default: [:]][key] = answer("forced", nil, domain, key)
        files["recommended/\(domain)", default: [:]][key] = answer("recommended", nil, domain, key)
        for user in record.users {
          guard let own = answer("forced", user, domain, key), own.slot.hasPrefix("user:") else {
            continue
          }
          files["managed/users/\(user)/\(domain)", default: [:]][key] = own
        }
      }
    }
    return files.filter { !$0.value.isEmpty }
  }
}
