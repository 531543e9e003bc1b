package import StrataPropertyList
package import StrataStorage

/// The search list of one application or suite: its domains, in search order.
///
/// `Stack`, `DomainProcess` and `ObserverList` refer to each other: a process makes stacks, which
/// ask it for domains; a stack has observers, whose keys are looked up in it; and a process records
/// changes with the observers of all its stacks under one lock.
package final class Stack: @unchecked Sendable {
  // Safety: constants, and state that the lock guards.
  package let identifier: DomainIdentifier
  package let places: Places
  package let process: DomainProcess
  /// The domain in which values are set.
  package let own: Layer

  /// The fast path for reading the same keys repeatedly. If it has no cached value,
  /// `value(forKey:)` searches.
  package let list = SearchList([])
  private let forced = SearchList([])
  let absentDirectories = DirectoryWatch()
  /// The directory of the domains of single hosts, while it is missing and they are not searched.
  private var awaited: AwaitedDirectory?
  /// Whether the list lacks domains until it can be found out which these are.
  private var isUncertain = false
  let observerList = ObserverList()
  private var suites: [DomainIdentifier] = []
  private var companion: AnyObject?
  private var searched: [Searched] = []
  private let lock = Lock(.stack)

  /// A domain in the search list, and its place.
  // An object: the runtime makes the type of an array of tuples in each process.
  private final class Searched: Sendable {
    let place: Place
    let layer: Layer

    init(_ place: Place, _ layer: Layer) {
      self.place = place
      self.layer = layer
    }
  }

  /// Locking: called under the process's lock.
  init(of identifier: DomainIdentifier, in places: Places, _ process: DomainProcess) {
    self.identifier = identifier
    self.places = places
    self.process = process
    own = process.domain(identifier, in: places)
    awaited = process.awaitedDirectory(in: places)
    rebuildLayers()
  }

  deinit { absentDirectories.setListener(nil) }

  /// The one object that a layer above keeps with this stack; made by the first who asks.
  package func companion(or make: () -> AnyObject) -> AnyObject {
    lock.withLock {
      if let companion { return companion }
      let made = make()
      companion = made
      return made
    }
  }

  // -- Reading

  /// The value of `key` in the first domain that has it.
  package func value(forKey key: String) -> PropertyListValue? {
    if let known = list.cachedValue(key) { return known }
    reloadIfDirectoriesAppeared()
    return list.search(key)
  }

  /// The value of `key` in the first domain that has it, and where that domain is.
  package func find(_ key: String) -> (value: PropertyListValue, place: Place, layer: Layer)? {
    reloadIfDirectoriesAppeared()
    for domain in lock.withLock({ searched }) {
      if let value = domain.layer.value(forKey: key) { return (value, domain.place, domain.layer) }
    }
    return nil
  }

  /// The value that would be effective if the own domain had none: from the domains below it.
  package func valueBelowOwn(_ key: String) -> PropertyListValue? {
    reloadIfDirectoriesAppeared()
    let places = lock.withLock { searched }
    return places.drop { $0.layer != own }.dropFirst().lazy
      .compactMap { $0.layer.value(forKey: key) }.first
  }

  /// Whether an administrator forces the value.
  package func isForced(_ key: String) -> Bool {
    reloadIfDirectoriesAppeared()
    return forced.search(key) != nil
  }

  /// The values of several keys, with those of each domain read at one moment.
  func values(forKeys keys: [String]) -> [PropertyListValue?] {
    if keys.count == 1 { return [value(forKey: keys[0])] }
    reloadIfDirectoriesAppeared()
    return layers.reduce(into: Array(repeating: nil, count: keys.count)) { found, layer in
      let missing = keys.indices.filter { found[$0] == nil }
      if missing.isEmpty { return }
      for (index, value) in zip(missing, layer.values(forKeys: missing.map { keys[$0] })) {
        found[index] = value
      }
    }
  }

  /// The effective value of every key.
  package func values() -> [String: PropertyListValue] {
    reloadIfDirectoriesAppeared()
    return list.layers.reversed().reduce(into: [:]) { values, layer in
      values.merge(layer.snapshot().values) { $1 }
    }
  }

  // -- Suites

  /// Why a suite was not added.
  package enum Refusal: Error, Sendable { case own, global }

  /// Searches a suite below the application's domain from now on.
  package func add(suite: DomainIdentifier, by object: AnyObject) throws(Refusal) {
    if suite == identifier { throw .own }
    if suite == .global { throw .global }
    search(by: object) { if !$0.contains(suite) { $0.append(suite) } }
  }

  package func remove(suite: DomainIdentifier, by object: AnyObject) {
    search(by: object) { $0.removeAll { $0 == suite } }
  }

  private func search(by object: AnyObject, _ change: (inout [DomainIdentifier]) -> Void) {
    let pending = process.perform(by: object) {
      lock.withLock {
        change(&suites)
        rebuildLayers()
      }
    }
    process.keep(self) { lock.withLock { !suites.isEmpty } }
    pending.notify()
    restartObserving()
  }

  /// Most machines have no administrator's directories, and most users none for single hosts: they
  /// are searched once they exist.
  ///
  /// Under one lock: whoever finds that somebody else has seen the news finds the new list, too.
  func reloadIfDirectoriesAppeared() {
    let isOther = lock.withLock { () -> Bool in
      // A watch that is not told of everything has news at each look.
      var mustLook = absentDirectories.hasNews || isUncertain
      if let awaited {
        if awaited.mayBeThere() {
          self.awaited = nil
          mustLook = true
        } else if !list.isAwaiting(awaited) {
          list.await(awaited)
        }
      }
      return mustLook && rebuildLayers()
    }
    // Observers may have been notified of the directories while the old list was still searched.
    if isOther { absentDirectories.notifyListener() }
  }

  /// Searches the domains of single hosts from now on, even if they have no directory yet.
  func searchHosts() {
    lock.withLock { awaited = nil }
    reloadLayers()
  }

  func reloadLayers() {
    let isOther = lock.withLock { rebuildLayers() }
    if isOther { absentDirectories.notifyListener() }
  }

  var layers: [Layer] { list.layers }

  /// The domains on disk that are searched.
  var stores: [Store] {
    layers.compactMap { layer in
      if case .file(let store) = layer { store } else { nil }
    }
  }

  /// - Returns: whether the search list has changed.
  @discardableResult
  private func rebuildLayers() -> Bool {
    // Looked up once, so that each directory is either watched for or searched. The watch reports
    // one that is created meanwhile.
    let directories = findMissingDirectories()
    func isThere(_ directory: String) -> Bool { !DirectoryPath.contains(directories, directory) }
    if let hosts = awaited?.path, isThere(hosts) { awaited = nil }
    absentDirectories.watch(directories)
    // Asked for before the domains are: what is found out in between is in the next list.
    isUncertain =
      !process.isInMemory
      && places.isUncertain(
        hasUsers: isThere(places.managedUsersDirectory), searchesHosts: awaited == nil)
    var found: [Searched] = []
    found.reserveCapacity(Place.allCases.count)
    for place in Place.allCases {
      forEachLayer(in: place, isThere) { found.append(Searched(place, $0)) }
    }
    let isOther = !found.elementsEqual(searched) { $0.place == $1.place && $0.layer == $1.layer }
    if isOther || !list.isAwaiting(awaited) {
      list.replace(found.count, awaiting: awaited) { found[$0].layer }
    }
    if !isOther { return false }
    searched = found
    let managed = found.filter(\.place.isManaged)
    forced.replace(managed.count) { managed[$0].layer }
    return true
  }

  var missingDirectories: [DirectoryPath] { lock.withLock { findMissingDirectories() } }

  private func findMissingDirectories() -> [DirectoryPath] {
    if process.isInMemory { return [] }
    // Most machines have none of them, which takes one look.
    let isAnyThere = DirectoryWatch.isThere(places.systemDirectory)
    func isThere(_ directory: String) -> Bool { isAnyThere && DirectoryWatch.isThere(directory) }
    let users = places.managedUsersDirectory
    let isForUsers = isThere(users)
    var missing: [DirectoryPath] = []
    missing.reserveCapacity(Place.allCases.count)  // to let it grow costs a page of Swift's library
    if !isForUsers { missing.append(DirectoryPath(users)) }
    // The user is only looked up if there may be a directory for that.
    for place in Place.allCases where place != .managedUser || isForUsers {
      guard let directory = places.directoryForEveryone(place),
        !DirectoryPath.contains(missing, directory), !isThere(directory)
      else { continue }
      missing.append(DirectoryPath(directory))
    }
    if let awaited, !awaited.isKnownToBeThere { missing.append(DirectoryPath(awaited.path)) }
    return missing
  }

  /// Calls `body` with each of the identifiers that a place is searched for.
  func forEachIdentifier(in place: Place, _ body: (DomainIdentifier) -> Void) {
    switch place {
    case .suites, .suitesEveryone: suites.forEach(body)
    default: body(identifier)
    }
  }

  private func forEachLayer(
    in place: Place, _ isThere: (String) -> Bool, _ body: (Layer) -> Void
  ) {
    if place == .application { return body(own) }
    forEachIdentifier(in: place) {
      process.forEachLayer(
        of: $0, in: place, places, isThere, isForHosts: awaited == nil, body)
    }
  }
}
