import StrataPropertyList
import StrataStorage
import Synchronization

/// The value that a key's stored value was decoded to, cached for later reads.
///
/// It needs no notification of changes, since it is compared with the stored value that is read.
@usableFromInline
final class DecodedValue<Value: Sendable>: DecodedStamp, @unchecked Sendable {
  // Safety: constants.
  @usableFromInline let value: Value

  init(_ value: Value, decodedFrom stored: PropertyListValue) {
    self.value = value
    super.init(stored)
  }
}

/// The stored value that a value was decoded from. It is retained, so that nothing else can have
/// its address.
@usableFromInline
class DecodedStamp: @unchecked Sendable {
  // Safety: constants.
  let stored: PropertyListValue

  init(_ stored: PropertyListValue) { self.stored = stored }
}

/// A key's cache of the last decoded value. Reading takes no lock and counts no reference.
///
/// Ordering: readers acquire what the exchange released, which itself acquires what it frees later.
final class DecodedSlot: @unchecked Sendable {
  // Safety: `current` owns what it points to, and is replaced under the lock only; what was
  // replaced is freed once no reader can see it.
  private let current = Atomic<UnsafeMutableRawPointer?>(nil)
  private var old: [Unmanaged<DecodedStamp>] = []
  private let lock = Lock(.memory)

  deinit {
    for stamp in old { stamp.release() }
    Self.stamp(current.load(ordering: .relaxed))?.release()
  }

  /// The cached value, if it was decoded from the value that `list` has for the key now.
  ///
  /// Locking: the caller is a reader, and what is returned is there as long as it is one.
  func cached(_ key: PreparedKey, in list: SearchList) -> UnsafeMutableRawPointer? {
    let found = current.load(ordering: .acquiring)
    guard let stamp = Self.stamp(found) else { return nil }
    return stamp._withUnsafeGuaranteedRef { list.holds(key, $0.stored) } ? found : nil
  }

  /// The cached value, if it was decoded from a value equal to `stored`.
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
    // Outside of the lock, since their deinitializers may be the program's code.
    for stamp in released { stamp.release() }
  }

  private static func stamp(_ pointer: UnsafeMutableRawPointer?) -> Unmanaged<DecodedStamp>? {
    pointer.map { .fromOpaque($0) }
  }
}
