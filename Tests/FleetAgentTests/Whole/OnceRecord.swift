/// What is known of one user's values that are set once, by who watches the domains.
struct OnceRecord {
  /// By domain and key, as last seen.
  private(set) var values: [String: Int64] = [:]
  private var done: Set<String> = []
  /// Keys that the user has changed while the agent did not know whether it had set them.
  private var uncertain: Set<String> = []

  mutating func userSets(_ value: Int64, _ key: String, isInterrupted: Bool) {
    values[key] = value
    if isInterrupted { uncertain.insert(key) }
  }

  /// What is wrong with the values after an agent has applied what it knows.
  ///
  /// - Parameters:
  ///   - answers: what it had to set, if it had not yet.
  ///   - isWhole: whether it was not interrupted.
  mutating func complaint(
    _ found: [String: Int64], _ answers: [String: Oracle.Answer], isWhole: Bool
  ) -> String? {
    for key in Set(found.keys).union(values.keys).union(answers.keys).sorted() {
      let (before, now) = (values[key], found[key])
      guard let answer = answers[key] else {
        if now != before { return "nobody has set \(key) to \(now ?? -1)" }
        continue
      }
      let text = "\(key) \(answer.slot) \(answer.version)"
      switch (done.contains(text), now == before) {
      case (true, true): continue
      case (true, false): return "\(text) was set again: \(now ?? -1) instead of \(before ?? -1)"
      case (false, _) where now == answer.value:
        if isWhole || now != before { done.insert(text) }
      case (false, false): return "\(text) is \(now ?? -1), not \(answer.value)"
      case (false, true):
        if !isWhole { continue }
        if !uncertain.contains(key) { return "\(text) was not set, and is \(now ?? -1)" }
        done.insert(text)
      }
    }
    values = found
    if isWhole { uncertain = [] }
    return nil
  }
}
