package import StrataPropertyList

/// What a policy says about one key.
package struct PolicyEntry: Equatable, Sendable {
  package enum Level: String, CaseIterable, Sendable {
    /// The value is the user's only one.
    case forced
    /// The value counts as long as nobody sets another one.
    case recommended
    /// The value is set once per version, as if the user had set it.
    case once
  }

  package var value: PropertyListValue
  package var level: Level
  /// Whether it has priority over layers of higher precedence.
  package var isEnforced = false
  package var reason: String?
  /// When it ends to apply, in seconds since 2001-01-01.
  package var until: PropertyListDate?

  package init(
    _ value: PropertyListValue, _ level: Level = .forced, isEnforced: Bool = false,
    reason: String? = nil, until: PropertyListDate? = nil
  ) {
    self.value = value
    self.level = level
    self.isEnforced = isEnforced
    self.reason = reason
    self.until = until
  }

  package func applies(at now: PropertyListDate) -> Bool {
    guard let until else { return true }
    return now.secondsSinceReference < until.secondsSinceReference
  }
}

/// What one version of a policy says, apart from who published it.
package struct PolicyContent: Equatable, Sendable {
  /// Decides between layers of the same kind; the highest wins.
  package var priority: Int64 = 0
  package var entries: [String: PolicyEntry] = [:]

  package init(priority: Int64 = 0, entries: [String: PolicyEntry] = [:]) {
    self.priority = priority
    self.entries = entries
  }
}
