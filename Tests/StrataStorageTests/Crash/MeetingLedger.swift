/// What each key was given, and so what it may be. No value is 0.
struct MeetingLedger {
  /// All keys that there may be.
  static let keys =
    [shared] + (0..<3).flatMap { ["key\($0).0", "key\($0).1"] + two(of: $0) }

  /// The number that all processes count up.
  static let shared = "count"

  /// The keys that a process sets together.
  static func two(of number: Int) -> [String] { ["two\(number).a", "two\(number).b"] }

  /// Whether the first process sets it.
  static func isOfFirst(_ key: String) -> Bool { key.hasPrefix("key0") || key.hasPrefix("two0") }

  struct Past {
    var values: [Int64] = [0]
    /// The place of the oldest value that a power cut may bring back.
    var synchronized = 0
    /// What it is about to be given.
    var inFlight: [Int64] = []
    /// What else it may be since it was given two values at the same time.
    var alternatives: Set<Int64> = []
    /// Whether what it is comes from a hand, and so may not be on the disk.
    var isEdited = false

    var isUncertain: Bool { isEdited || !alternatives.isEmpty }
    var last: Int64 { values[values.count - 1] }
  }

  private var pasts = Dictionary(uniqueKeysWithValues: keys.map { ($0, Past()) })
  /// What the shared number was counted up to since it was last edited or replaced.
  private var counted: Set<Int64> = []
  /// How often that was, and how many replacements are under way.
  private var (replacements, replacing) = (0, 0)

  // -- Writing

  struct Writing {
    var entries: [(key: String, value: Int64, count: Int)]
    let isReplacement: Bool
    let replacements: Int
  }

  mutating func begin(
    _ entries: [(key: String, value: Int64)], isReplacement: Bool = false
  ) -> Writing {
    if isReplacement { replacing += 1 }
    for (key, value) in entries { pasts[key, default: Past()].inFlight.append(value) }
    return Writing(
      entries: entries.map { ($0.key, $0.value, pasts[$0.key]?.values.count ?? 0) },
      isReplacement: isReplacement, replacements: replacements)
  }

  /// What was written by others meanwhile may be the later one.
  mutating func end(_ writing: Writing) {
    if writing.isReplacement {
      replacing -= 1
      noteReplaced()
    }
    for (key, value, count) in writing.entries { end(key, value, count) }
  }

  private mutating func end(_ key: String, _ value: Int64, _ count: Int) {
    guard var past = pasts[key] else { return }
    if past.values.count == count {
      past.alternatives = []
    } else {
      past.alternatives.insert(past.last)
    }
    past.isEdited = false
    past.values.append(value)
    past.inFlight.remove(at: past.inFlight.lastIndex(of: value) ?? 0)
    pasts[key] = past
  }

  private mutating func noteReplaced() {
    counted = []
    replacements += 1
  }

  mutating func cancel(_ writing: Writing) {
    for (key, value, _) in writing.entries {
      guard let index = pasts[key]?.inFlight.lastIndex(of: value) else { continue }
      pasts[key]?.inFlight.remove(at: index)
    }
  }

  /// The shared number was counted up: what is wrong with that?
  mutating func endCounting(_ writing: Writing) -> String? {
    let (key, value, count) = writing.entries[0]
    let isKnown = replacing == 0 && replacements == writing.replacements
    // Others that counted on from there came later.
    let later = pasts[key]?.values.dropFirst(count).max() ?? 0
    end(key, value, count)
    guard isKnown else { return nil }
    if later > value, var past = pasts[key] {
      past.values.append(later)
      past.alternatives = []
      pasts[key] = past
    }
    return counted.insert(value).inserted ? nil : "\(key) was made \(value) twice"
  }

  /// Someone replaced the list by one with this key alone, which nobody promised to synchronize.
  mutating func noteEdit(_ edited: String, _ value: Int64) {
    noteReplaced()
    for key in Self.keys {
      var past = pasts[key, default: Past()]
      past.values.append(key == edited ? value : 0)
      (past.synchronized, past.alternatives, past.isEdited) = (0, [], true)
      pasts[key] = past
    }
  }

  // -- Synchronizing

  /// What is certain of the keys of which that is asked.
  func marks(_ isWanted: (String) -> Bool) -> [String: Int] {
    pasts.filter { isWanted($0.key) && !$0.value.isUncertain }
      .mapValues { $0.values.count - 1 }
  }

  mutating func noteSynchronized(_ marks: [String: Int]) {
    for (key, mark) in marks {
      if let known = pasts[key]?.synchronized, known < mark { pasts[key]?.synchronized = mark }
    }
  }

  // -- What may be

  func isUncertain(_ key: String) -> Bool { pasts[key]?.isUncertain ?? false }

  struct Reading {
    let key: String
    let before: Past
  }

  func beginReading(_ key: String) -> Reading {
    Reading(key: key, before: pasts[key, default: Past()])
  }

  /// What is wrong with a value that was read meanwhile; nil if it was there at one moment.
  func wrong(_ reading: Reading, _ value: Int64) -> String? {
    let after = pasts[reading.key, default: Past()]
    let isRight =
      may(be: value, reading.before, isCut: false) || may(be: value, after, isCut: false)
      || after.values.dropFirst(reading.before.values.count).contains(value)
    return isRight ? nil : text(reading.key, value)
  }

  func wrong(_ key: String, _ value: Int64) -> String? {
    may(be: value, pasts[key, default: Past()], isCut: false) ? nil : text(key, value)
  }

  /// What is wrong with all values together.
  /// - Parameter isCut: whether a key may be what it was when it was last synchronized.
  func wrong(_ found: [String: Int64], isCut: (String) -> Bool) -> String? {
    for (key, past) in pasts.sorted(by: { $0.key < $1.key }) {
      let value = found[key] ?? 0
      if !may(be: value, past, isCut: isCut(key)) { return text(key, value) }
    }
    for number in 0..<3 {
      let keys = Self.two(of: number)
      if found[keys[0]] != found[keys[1]] {
        return "\(keys[0]) is \(found[keys[0]] ?? 0), \(keys[1]) \(found[keys[1]] ?? 0)"
      }
    }
    return nil
  }

  private func may(be value: Int64, _ past: Past, isCut: Bool) -> Bool {
    past.last == value || past.inFlight.contains(value) || past.alternatives.contains(value)
      || isCut && past.values.dropFirst(past.synchronized).contains(value)
  }

  private func text(_ key: String, _ value: Int64) -> String {
    let past = pasts[key, default: Past()]
    return "\(key) is \(value), not \(past.last) (synchronized: \(past.values[past.synchronized]), "
      + "under way: \(past.inFlight), or else: \(past.alternatives.sorted()))"
  }
}
