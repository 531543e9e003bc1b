/// Who is to be told of which events. Guarded by the lock of its feed.
struct FeedSubscriptions {
  // An array: a process's first dictionary with keys of another type searches the conformances of
  // all libraries.
  private var all: [Subscription] = []

  private struct Subscription {
    // Apart, since each copy of a weak reference takes an entry in the runtime's tables.
    let filter: Filter
    weak var hint: ChangeHint?
  }

  /// Which events concern a subscriber.
  struct Filter: Equatable {
    /// Nil while the directory is missing.
    let watch: Int32?
    /// Nil stands for every name.
    let names: [String]?
    let interest: FileInterest

    /// For a subscriber that is told when the feed is lost, and of nothing else.
    static let nothing = Filter(watch: nil, names: nil, interest: .changes)

    @inline(__always)
    func lets(_ event: FileEvent) -> Bool {
      watch == event.watch && (interest != .names || event.kind != .change)
        && (event.name.isEmpty || names?.contains(event.name) != false)
    }
  }

  mutating func add(_ hint: ChangeHint, _ filter: Filter) {
    all.removeAll { $0.hint == nil }
    if all.contains(where: { $0.filter == filter && $0.hint === hint }) { return }
    all.append(Subscription(filter: filter, hint: hint))
  }

  mutating func remove(_ hint: ChangeHint) { all.removeAll { $0.hint === hint } }

  /// Raises the hints of the subscribers that the event concerns.
  func raise(for event: FileEvent) {
    for index in all.indices where all[index].filter.lets(event) { all[index].hint?.raise() }
  }

  func raiseAll() { for subscription in all { subscription.hint?.raise() } }
}
