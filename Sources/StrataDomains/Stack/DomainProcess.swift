import CStrata
package import StrataPropertyList
package import StrataStorage
import Synchronization

/// What all stacks of one process share: directories, trust, and volatile domains.
///
/// A program has one. Tests make several, each of which acts as a process in its own surroundings.
package final class DomainProcess: @unchecked Sendable {
  // Safety: constants, an atomic count, and arrays that `lock` and `unsavedLock` guard.
  package let surroundings: ProcessSurroundings
  package let places: Places
  package let volatile: VolatileDomains
  /// Whether no domain has a file; then nothing outside the process is accessed.
  package let isInMemory: Bool

  private var stacks: [WeakStack] = []
  /// Whether this process itself uses domains of single hosts: then they are always searched, by
  /// new stacks at once, and by others when each was told so.
  private enum HostUse { case none, begun, toldToAll }
  private var hostUse = HostUse.none
  /// With how many stacks those are forgotten that have ended.
  private var sweepAt = DomainProcess.sweepMin
  private static let sweepMin = 64
  /// The domains that were replaced as a whole.
  private var replaced: [Layer] = []
  private var unsavedDomains: [UnsavedDomain] = []

  /// Held, if there are observers, while this process changes something and while changes by others
  /// are recorded.
  let changeLock = Lock(.changes)
  private var observed: [WeakStack] = []
  private let observedCount = Atomic<Int>(0)

  // Locking: taken before the lock of any store; no store is loaded under it.
  private let lock = Lock(.domains)
  // Guards `unsavedDomains`, which stacks ask for under their own lock.
  private let unsavedLock = Lock(.memory)

  // An object: the array of a struct is a type that the runtime has to make in each process.
  private final class WeakStack {
    weak var stack: Stack?
    /// Compared first: each load of a weak reference costs some atomic steps.
    let nameHash: UInt64
    /// The same while suites are added to it, which outlive the objects by which they were added.
    var kept: Stack?
    init(_ stack: Stack) {
      self.stack = stack
      nameHash = PreparedKey.hash(of: stack.identifier.name)
    }
  }

  private struct UnsavedDomain {
    let identifier: DomainIdentifier
    /// Those of a user who has no home.
    let places: Places
    let store: MemoryStore
  }

  /// - Parameter places: those of another user; nil for the user whose rights the process has.
  package init(
    _ surroundings: ProcessSurroundings, _ volatile: VolatileDomains, isInMemory: Bool = false,
    places: Places? = nil
  ) {
    self.isInMemory = isInMemory
    self.surroundings = surroundings
    self.volatile = volatile
    self.places = places ?? Places(of: surroundings)
    Restoration.finish(in: self.places)
  }

  /// What the running program has.
  package static func ofProgram(_ volatile: VolatileDomains) -> DomainProcess {
    strata_hold_user()
    defer { strata_release_held_user() }
    return DomainProcess(.current, volatile)
  }

  /// The only stack of this domain and user in the process.
  package func stack(of identifier: DomainIdentifier) -> Stack { stack(of: identifier, in: places) }

  /// The same in the places of another user.
  package func stack(of identifier: DomainIdentifier, in places: Places) -> Stack {
    lock.withLock {
      let hash = PreparedKey.hash(of: identifier.name)
      for known in stacks where known.nameHash == hash {
        guard let stack = known.stack, stack.identifier == identifier, stack.places == places
        else { continue }
        return stack
      }
      let stack = Stack(of: identifier, in: places, self)
      if stacks.count >= sweepAt {
        stacks.removeAll { $0.stack == nil }
        sweepAt = max(Self.sweepMin, 2 * stacks.count)
      }
      stacks.append(WeakStack(stack))
      return stack
    }
  }

  /// Keeps a stack for as long as the process lives, or no more. Of several threads, the last one
  /// sees the final state.
  func keep(_ stack: Stack, if isWanted: () -> Bool) {
    lock.withLock {
      let kept = isWanted() ? stack : nil
      for known in stacks where known.stack === stack { known.kept = kept }
    }
  }

  // -- Synchronizing

  package func noteReplaced(_ layer: Layer) {
    lock.withLock { if !replaced.contains(where: { $0 == layer }) { replaced.append(layer) } }
  }

  /// Makes durable what was set in a domain, and in those that were replaced as a whole.
  package func synchronize(_ own: Layer) -> Bool {
    let others = lock.withLock { replaced }.filter { $0 != own }
    return others.reduce(own.synchronize()) { $1.synchronizePending() && $0 }
  }

  // -- Observed stacks

  /// Whether any stack has observers.
  // Ordering: an observer counts, and then looks at values; who changes one moves its word, and
  // then looks here. As with `Store.countWatcher`, one of the two sees what the other did.
  package var isObserved: Bool { observedCount.load(ordering: .sequentiallyConsistent) != 0 }

  var observedStacks: [Stack] {
    if !isObserved { return [] }
    return lock.withLock {
      let stacks = observed.compactMap(\.stack)
      // A stack may end with observers in it.
      if stacks.count < observed.count { forgetObserved { _ in false } }
      return stacks
    }
  }

  func addObserved(_ stack: Stack) {
    lock.withLock {
      forgetObserved { $0 === stack }
      observed.append(WeakStack(stack))
      observedCount.store(observed.count, ordering: .sequentiallyConsistent)
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
  }

  func removeObserved(_ stack: Stack) { lock.withLock { forgetObserved { $0 === stack } } }

  /// Forgets these stacks, and those that have ended. The lock must be held.
  private func forgetObserved(_ isGone: (Stack) -> Bool) {
    observed.removeAll { $0.stack.map(isGone) ?? true }
    observedCount.store(observed.count, ordering: .sequentiallyConsistent)
  }

  /// A domain's own values, of this user on any host: what Foundation calls a persistent domain.
  package func domain(_ identifier: DomainIdentifier) -> Layer { domain(identifier, in: places) }

  /// The same of another user.
  package func domain(_ identifier: DomainIdentifier, in places: Places) -> Layer {
    guard !isInMemory, let paths = places.ownStore(of: identifier) else {
      return unsavedDomain(identifier, in: places)
    }
    return .file(Store.open(paths, places.rules(of: identifier, at: paths, in: .application)))
  }

  /// The domain for all users, on this host as on any; returned even if nothing is stored there
  /// yet.
  ///
  /// Nil for a domain identified by a path, which has only one place.
  package func domainForAllUsers(_ identifier: DomainIdentifier) -> Store? {
    if isInMemory { return nil }
    return places.stores(of: identifier, in: .applicationEveryone).first.map { Store.open($0) }
  }

  /// The domain for this user on this host; nil for one identified by a path, and without a home.
  package func domainOnThisHost(_ identifier: DomainIdentifier) -> Layer? {
    let untold: [Stack] = lock.withLock {
      if hostUse == .toldToAll { return [] }
      hostUse = .begun
      return stacks.compactMap(\.stack)
    }
    // Whoever comes meanwhile tells them, too: it must not set anything before they know.
    for stack in untold { stack.searchHosts() }
    lock.withLock { hostUse = .toldToAll }
    return layers(of: identifier, in: .applicationHost, places).first
  }

  /// The directory of this user's domains of single hosts, if a new stack may do without it.
  ///
  /// Locking: called while a stack is made, under the lock.
  func awaitedDirectory(in places: Places) -> AwaitedDirectory? {
    if hostUse != .none || isInMemory || places != self.places { return nil }
    return places.hostDirectory.map { AwaitedDirectory($0) }
  }

  /// The domains that a place has for an identifier, in search order.
  package func layers(
    of identifier: DomainIdentifier, in place: Place, _ places: Places
  ) -> [Layer] {
    var layers: [Layer] = []
    forEachLayer(of: identifier, in: place, places) { layers.append($0) }
    return layers
  }

  /// Calls `body` with each of them, as `Places.forEachStore` does.
  func forEachLayer(
    of identifier: DomainIdentifier, in place: Place, _ places: Places,
    _ isThere: (String) -> Bool = DirectoryWatch.isThere, isForHosts: Bool = true,
    _ body: (Layer) -> Void
  ) {
    switch place {
    case .arguments:
      body(.memory(volatile.arguments))
      if let environment = volatile.environment { body(.memory(environment)) }
    case .languages: body(.memory(volatile.languages))
    case .registration: body(.memory(volatile.registration))
    case .application where isInMemory, .suites where isInMemory:
      body(unsavedDomain(identifier, in: places))
    case .global where isInMemory: body(unsavedDomain(.global, in: places))
    case _ where isInMemory: break
    case .managedUser where !isThere(places.managedUsersDirectory):
      break  // saves looking up the user
    case .application where places.hasNoHome(identifier),
      .suites where places.hasNoHome(identifier):
      body(unsavedDomain(identifier, in: places))
    case .global where places.hasNoHome(.global): body(unsavedDomain(.global, in: places))
    default:
      // Most machines have none of these directories: no paths are made in them.
      if let directory = places.directoryForEveryone(place), !isThere(directory) { break }
      places.forEachStore(of: identifier, in: place, isForHosts: isForHosts) { paths in
        body(.file(Store.open(paths, places.rules(of: identifier, at: paths, in: place))))
      }
    }
  }

  /// The names of a user's domains in memory that hold values.
  func unsavedNames(in places: Places) -> [String] {
    let domains = unsavedLock.withLock { unsavedDomains }.filter {
      $0.places == places && !$0.store.snapshot().values.isEmpty
    }
    return KeyOrder.ascending(domains.map(\.identifier.name))
  }

  /// Replaces the values of the environment's domain, or (nil) removes it from the search.
  /// - Returns: the observers to notify.
  package func setEnvironment(
    _ values: [String: PropertyListValue]?, by object: AnyObject
  ) -> [Observer] {
    perform(by: object) {
      volatile.setEnvironment(values)
      for stack in lock.withLock({ stacks.compactMap(\.stack) }) { stack.reloadLayers() }
    }
  }

  func unsavedDomain(_ identifier: DomainIdentifier, in places: Places) -> Layer {
    unsavedLock.withLock {
      let known = unsavedDomains.first { $0.identifier == identifier && $0.places == places }
      if let known { return .memory(known.store) }
      if unsavedDomains.isEmpty && !isInMemory {
        Log.writeLater("there is no home directory: settings are kept in memory only; set HOME")
      }
      // Without a home no file reminds a search of directories that have appeared.
      let store = MemoryStore(isAskedAgain: !isInMemory)
      unsavedDomains.append(
        UnsavedDomain(identifier: identifier, places: places, store: store))
      return .memory(store)
    }
  }
}
