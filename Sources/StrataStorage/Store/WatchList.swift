import StrataPropertyList

/// Who is notified of changes from outside, and what has changed since they last were.
struct WatchList {
  typealias Body = @Sendable ([Store.Touch]) -> Void

  private var bodies: [Int: Body] = [:]
  /// Numbers are never used again: a watch may be cancelled long before it is released, which ends
  /// it once more.
  private var lastNumber = 0
  /// The values that keys had before others changed them.
  private var old: [String: PropertyListValue?] = [:]

  var isEmpty: Bool { bodies.isEmpty }

  /// - Returns: the number by which to remove it.
  mutating func add(_ body: @escaping Body) -> Int {
    lastNumber += 1
    bodies[lastNumber] = body
    return lastNumber
  }

  func has(_ number: Int) -> Bool { bodies[number] != nil }

  /// - Returns: what was to be called; its end may run foreign code, and waits for the caller.
  mutating func remove(_ number: Int) -> Body? {
    let body = bodies.removeValue(forKey: number)
    if isEmpty { old.removeAll() }
    return body
  }

  mutating func removeAll() {
    bodies.removeAll()
    old.removeAll()
  }

  /// Notes the values of keys that others are about to change.
  mutating func note(_ scan: JournalScan, in values: DomainValues) {
    if isEmpty { return }
    var hasNotedAll = false
    for index in 0..<scan.count {
      scan.forEachTarget(index) { target in
        switch target {
        case .all:
          if hasNotedAll { return }
          hasNotedAll = true
          for (key, value) in values.allShown() { note(key, value) }
        case .removed(let bytes), .set(let bytes):
          let key = String(ofBytes: bytes)
          if old[key] == nil { note(key, values.shown(key)) }
        }
      }
    }
  }

  /// Notes what differs between two moments.
  mutating func note(
    from before: [String: PropertyListValue], to after: [String: PropertyListValue]
  ) {
    for (key, value) in before where after[key] != value { note(key, value) }
    for key in after.keys where before[key] == nil { note(key, nil) }
  }

  private mutating func note(_ key: String, _ value: PropertyListValue?) {
    if old[key] == nil { old[key] = .some(value) }
  }

  /// What is to be delivered, and to whom, by their numbers.
  mutating func take(
    _ values: DomainValues
  ) -> (touches: [Store.Touch], bodies: [Int: Body]) {
    if old.isEmpty { return ([], [:]) }
    defer { old.removeAll() }
    let touches = old.map { Store.Touch(key: $0, old: $1, new: values.shown($0)) }
    return (touches, bodies)
  }
}
