import StrataPropertyList
import StrataStorage
import Synchronization

/// What a key's stored value was decoded to, so that reading it again costs a look.
///
/// It needs no word of any change: another stored value is seen to be another one.
@usableFromInline
final class DecodedValue<Value: Sendable>: DecodedStamp, @unchecked Sendable {
  // Safety: constants.
  @usableFromInline let value: Value

  init(_ value: Value, decodedFrom stored: PropertyListValue) {
    self.value = value
    super.init(stored)
  }
}

/// What a value was decoded from. It is kept, so that nothing else can be where it is.
@usableFromInline
class DecodedStamp: @unchecked Sendable {
  // Safety: constants.
  let stored: PropertyListValue

  init(_ stored: PropertyListValue) { self.stored = stored }
}

/// Where a key keeps what was decoded last. Reading takes no lock and counts no reference.
final class DecodedSlot: @unchecked Sendable {
  // Safety: `current` owns what it points to, and is replaced under the lock only; who was replaced
  // is freed once no reader can see it.
  private let current = Atomic<UnsafeMutableRawPointer?>(nil)
  private var old: [Unmanaged<DecodedStamp>] = []
  private let lock = Lock(.memory)

  deinit {
    for stamp in old { stamp.release() }
    Self.stamp(current.load(ordering: .relaxed))?.release()
  }

  /// What was decoded, if it is what `list` has for the key now.
  ///
  /// Locking: the caller is a reader, and what is returned is there as long as it is one.
  func cached(_ key: PreparedKey, in list: SearchList) -> UnsafeMutableRawPointer? {
    let found = current.load(ordering: .acquiring)
    guard let stamp = Self.stamp(found) else { return nil }
    return stamp._withUnsafeGuaranteedRef { list.holds(key, $0.stored) } ? found : nil
  }

  /// What was decoded, if it is what `stored` says, wherever that was found.
  func value(decodedFrom stored: PropertyListValue) -> DecodedStamp? {
    Readers.begin()
    let found = Self.stamp(current.load(ordering: .acquiring))?.takeUnretainedValue()
    Readers.end()
    return found.flatMap { $0.stored == stored ? $0 : nil }
  }

  func store(_ new: DecodedStamp) {
    let released: [Unmanaged<DecodedStamp>] = lock.withLock {
      let before = current.exchange(
        Unmanaged.passRetained(new).toOpaque(), ordering: .acquiringAndReleasing)
      if let before = Self.stamp(before) { old.append(before) }
      if !Readers.haveLeft() { return [] }
      defer { old.removeAll() }
      return old
    }
    // Their end may be code of the program.
    for stamp in released { stamp.release() }
  }

  private static func stamp(_ pointer: UnsafeMutableRawPointer?) -> Unmanaged<DecodedStamp>? {
    pointer.map { .fromOpaque($0) }
  }
}
