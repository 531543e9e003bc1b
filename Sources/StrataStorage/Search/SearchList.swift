import CStrata
package import StrataPropertyList
import Synchronization

/// Domains that are searched in order: the first one that has a key gives its value.
///
/// A search that finds all tables up to date takes no lock and makes no system call, however many
/// domains there are: each is asked for one word of memory, and for the key.
///
/// Ordering: readers acquire the list and the views, which were released when they took their
/// place. The exchange acquires the old list, too, since it frees that.
package final class SearchList: @unchecked Sendable {
  // Safety: `current` is atomic; lists are constants, and freed once no reader holds one.
  private let current: Atomic<UnsafeMutablePointer<LayerList>>
  private let lock = Lock(.search)

  private struct LayerList {
    let layers: Layers
    // Safety: the tables' own pointers, valid as long as `layers` keeps their owners.
    let views: UnsafeMutablePointer<UnsafeMutablePointer<CurrentView>>
    let end: UnsafeMutablePointer<UnsafeMutablePointer<CurrentView>>
    /// Those before it are in memory only: no value goes there from another domain.
    let firstFile: UnsafeMutablePointer<UnsafeMutablePointer<CurrentView>>
    /// As long as this word is as it was, nobody has made the directory that is awaited.
    let source: any CoherenceWord
    let word: UnsafeMutablePointer<Atomic<UInt64>>
    let seen: UInt64

    /// What was seen of a domain: whoever makes other values gives it another view, or moves its
    /// word.
    @inline(__always)
    static func seen(_ view: UnsafeMutablePointer<View>, _ word: UInt32) -> UInt {
      UInt(bitPattern: view) &+ UInt(word)
    }
  }

  /// For a list that awaits no directory, or one whose making nothing tells yet.
  private static let unmoved = LocalWord()

  /// The domains. Not an array, whose type the runtime would have to make in each process.
  // Safety: constants; `layers` has `count` elements as long as this object lives.
  private final class Layers {
    let layers: UnsafeMutablePointer<Layer>
    let count: Int

    init(_ count: Int, _ layer: (Int) -> Layer) {
      self.count = count
      layers = .allocate(capacity: count)
      for index in 0..<count { (layers + index).initialize(to: layer(index)) }
    }

    deinit { layers.deinitialize(count: count).deallocate() }

    /// How many come before the first one that has a file.
    var inMemoryCount: Int {
      var index = 0
      while index < count, case .memory = layers[index] { index += 1 }
      return index
    }
  }

  /// A list of as many domains, which `layer` gives by their places.
  package init(_ count: Int, _ layer: (Int) -> Layer) {
    current = Atomic(Self.layerList(count, nil, layer))
  }

  package convenience init(_ layers: [Layer]) { self.init(layers.count) { layers[$0] } }

  deinit { Self.free(current.load(ordering: .relaxed)) }

  package var layers: [Layer] {
    let now = now
    return withExtendedLifetime(now) { (0..<now.count).map { now.layers[$0] } }
  }

  package func contains(_ layer: Layer) -> Bool {
    lock.withLock {
      let layers = current.load(ordering: .acquiring).pointee.layers
      return (0..<layers.count).contains { layers.layers[$0] == layer }
    }
  }

  private var now: Layers {
    lock.withLock { current.load(ordering: .acquiring).pointee.layers }
  }

  /// Searches other domains from now on; a search that is under way may still use the old ones.
  /// - Parameter awaited: a directory without whose domains the list is complete as long as it is
  ///   missing.
  package func replace(
    _ count: Int, awaiting awaited: AwaitedDirectory? = nil, _ layer: (Int) -> Layer
  ) {
    take(Self.layerList(count, awaited, layer))
  }

  private func take(_ new: UnsafeMutablePointer<LayerList>) {
    lock.withLock {
      let old = current.exchange(new, ordering: .acquiringAndReleasing)
      while !Readers.haveLeft() { strata_pause() }
      Self.free(old)
    }
  }

  /// Whether a read without a lock sees when this directory is made.
  package func isAwaiting(_ awaited: AwaitedDirectory?) -> Bool {
    lock.withLock {
      let list = current.load(ordering: .acquiring).pointee
      return list.source === Self.source(awaited) && list.seen == Self.seen(awaited)
    }
  }

  /// Has reads see from now on when this directory is made.
  package func await(_ awaited: AwaitedDirectory) {
    let now = now
    take(Self.layerList(now.count, awaited) { now.layers[$0] })
  }

  /// The value of `key` in the first domain that has it, after a look at what others changed.
  ///
  /// The domains are looked at one after the other: a value that goes from one to another meanwhile
  /// may be found in neither. So, once all of them are up to date, they are looked at together.
  /// (Those that need not be opened for a search are not.)
  package func search(_ key: String) -> PropertyListValue? {
    strata_hold_user()
    defer { strata_release_held_user() }
    for _ in 0..<Self.searchesMax {
      let (value, isFinal) = searchInOrder(key)
      if isFinal { return value }
      if let agreed = cachedValue(key) { return agreed }
    }
    return searchInOrder(key).value
  }

  /// Each further search means that others were faster.
  private static let searchesMax = 1_000

  /// - Returns: the value, and whether there is no other way to know it.
  private func searchInOrder(_ key: String) -> (value: PropertyListValue?, isFinal: Bool) {
    let now = now
    defer { withExtendedLifetime(now) {} }
    var areOpen = true
    for position in 0..<now.count {
      let layer = now.layers[position]
      let value = layer.value(forKey: key)
      areOpen = areOpen && !layer.isClosed
      if value != nil {
        let isFinal = position <= now.inMemoryCount || !areOpen
        return (value, isFinal || areAsFirstRead(now, upTo: position))
      }
    }
    return (nil, !areOpen || areAsFirstRead(now, upTo: now.count - 1))
  }

  /// Whether the domains up to a position that have files hold what the first read of each found.
  /// They were read one after the other, and have not changed since: so there was a moment at which
  /// all held that.
  private func areAsFirstRead(_ now: Layers, upTo last: Int) -> Bool {
    var position = 0
    while position <= last {
      if case .file(let store) = now.layers[position], !store.isAsFirstRead { return false }
      position += 1
    }
    return true
  }

  /// The value, found without a lock; nil if only a look with a lock can tell.
  package func cachedValue(_ text: String) -> PropertyListValue?? {
    HashedKey.with(text) { cachedValue($0) }
  }

  /// The same for a key that is looked up again and again.
  package func cachedValue(_ key: PreparedKey) -> PropertyListValue?? { cachedValue(key.key) }

  /// Whether the key's value is known to be this very one: not only equal, but the same in memory.
  ///
  /// Locking: the caller is a reader.
  package func holds(_ key: PreparedKey, _ value: borrowing PropertyListValue) -> Bool {
    look(for: key.key) { $0.pointee.value == nil ? nil : Entry.holds($0, value) } == true
  }

  @inline(__always)
  private func cachedValue(_ key: HashedKey) -> PropertyListValue?? {
    Readers.reading { look(for: key) { $0.pointee.value } }
  }

  /// The first result that `take` gives for an entry, in the order of the domains; nil inside if
  /// there is none, and nil outside if only a look with a lock can tell.
  @inline(__always)
  private func look<Result>(
    for key: HashedKey, _ take: (UnsafeMutablePointer<Entry>) -> Result?
  ) -> Result?? {
    let layerList = current.load(ordering: .acquiring)
    let now = strata_coarse_now()
    var next = layerList.pointee.views
    let end = layerList.pointee.end
    let firstFile = layerList.pointee.firstFile
    var seen: UInt = 0
    while next < end {
      let view = next.pointee.pointee.load(ordering: .acquiring)
      guard let (hadEveryKey, word) = view.pointee.hasEveryKey(ifCurrentAt: now) else {
        return nil
      }
      let entry = view.pointee.find(key).entry
      guard view.pointee.isTruth(about: entry, hadEveryKey: hadEveryKey) else { return nil }
      if let entry, let result = take(entry) {
        guard isAsSeen(layerList, seen, before: next) else { return nil }
        return result
      }
      if next >= firstFile { seen &+= LayerList.seen(view, word) }
      next += 1
    }
    guard isAsSeen(layerList, seen, before: end) else { return nil }
    return .some(nil)
  }

  /// Whether what the domains before the last one were seen to lack was still missing when that one
  /// was looked at: somebody may have moved a value from there to one of them.
  // Ordering: to be asked after the tables. As long as its word is the same, a table that was up to
  // date lacks what it lacked. If the directory was missing then, no domain in it had a value when
  // they were looked at.
  @inline(__always)
  private func isAsSeen(
    _ layerList: UnsafeMutablePointer<LayerList>, _ seen: UInt,
    before end: UnsafeMutablePointer<UnsafeMutablePointer<CurrentView>>
  ) -> Bool {
    var (left, next) = (seen, layerList.pointee.firstFile)
    while next < end {
      let view = next.pointee.pointee.load(ordering: .acquiring)
      left &-= LayerList.seen(view, view.pointee.lowerWord)
      next += 1
    }
    return left == 0
      && layerList.pointee.word.pointee.load(ordering: .acquiring) == layerList.pointee.seen
  }

  private static func layerList(
    _ count: Int, _ awaited: AwaitedDirectory?, _ layer: (Int) -> Layer
  ) -> UnsafeMutablePointer<LayerList> {
    let layers = Layers(count, layer)
    let views = UnsafeMutablePointer<UnsafeMutablePointer<CurrentView>>.allocate(capacity: count)
    for index in 0..<count {
      (views + index).initialize(to: layers.layers[index].table.current)
    }
    let layerList = UnsafeMutablePointer<LayerList>.allocate(capacity: 1)
    let source = source(awaited)
    layerList.initialize(
      to: LayerList(
        layers: layers, views: views, end: views + count,
        firstFile: views + layers.inMemoryCount, source: source, word: source.word,
        seen: seen(awaited)))
    return layerList
  }

  private static func source(_ awaited: AwaitedDirectory?) -> any CoherenceWord {
    awaited?.epoch ?? unmoved
  }

  private static func seen(_ awaited: AwaitedDirectory?) -> UInt64 {
    awaited?.seen ?? LocalWord.value
  }

  private static func free(_ layerList: UnsafeMutablePointer<LayerList>) {
    layerList.pointee.views.deallocate()
    layerList.deinitialize(count: 1).deallocate()
  }
}
