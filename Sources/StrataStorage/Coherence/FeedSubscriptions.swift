/// Who is to be told of which events. Guarded by the lock of its feed.
struct FeedSubscriptions {
  // An array: a process's first dictionary with keys of another type searches the conformances of
  // all libraries.
  private var all: [Subscription] = []
  /// With how many those are removed whose hints have gone: one at a time would cost a look at all.
  private var sweepAt = Self.sweepMin

  private static let sweepMin = 64

  // An object: to move a weak reference takes some atomic steps.
  private final class Subscription {
    let filter: Filter
    /// Compared first, since so does each load. Another hint may have the identity of one that has
    /// gone.
    let identity: ObjectIdentifier
    weak var hint: ChangeHint?

    init(_ filter: Filter, _ hint: ChangeHint) {
      self.filter = filter
      self.hint = hint
      identity = ObjectIdentifier(hint)
    }

    func isOf(_ other: ChangeHint) -> Bool {
      identity == ObjectIdentifier(other) && hint === other
    }
  }

  /// Which events concern a subscriber.
  struct Filter: Equatable {
    /// Nil while the directory is missing.
    let watch: Int32?
    /// Nil stands for every name.
    let names: [String]?
    let interest: FileInterest
    /// A bit for the hash of each of the names: thousands of domains may wait for others.
    private let nameBits: UInt64

    init(watch: Int32?, names: [String]?, interest: FileInterest) {
      self.watch = watch
      self.names = names
      self.interest = interest
      nameBits = names?.reduce(0) { $0 | Self.bit(of: $1) } ?? .max
    }

    /// For a subscriber that is told when the feed is lost, and of nothing else.
    static let nothing = Filter(watch: nil, names: nil, interest: .changes)

    static func bit(of name: String) -> UInt64 { HashedKey.with(name) { 1 << ($0.hash >> 58) } }

    /// - Parameter bit: that of the event's name.
    @inline(__always)
    func lets(_ event: FileEvent, _ bit: UInt64) -> Bool {
      watch == event.watch && (interest != .names || event.kind != .change)
        && (event.name.isEmpty || nameBits & bit != 0 && names?.contains(event.name) != false)
    }
  }

  mutating func add(_ hint: ChangeHint, _ filter: Filter) {
    if all.count >= sweepAt {
      all.removeAll { $0.hint == nil }
      sweepAt = max(Self.sweepMin, 2 * all.count)
    }
    if all.contains(where: { $0.isOf(hint) && $0.filter == filter }) { return }
    all.append(Subscription(filter, hint))
  }

  mutating func remove(_ hint: ChangeHint) { all.removeAll { $0.isOf(hint) } }

  /// Raises the hints of the subscribers that the event concerns.
  func raise(for event: FileEvent) {
    let bit = Filter.bit(of: event.name)
    for subscription in all where subscription.filter.lets(event, bit) {
      subscription.hint?.raise()
    }
  }

  func raiseAll() { for subscription in all { subscription.hint?.raise() } }
}
