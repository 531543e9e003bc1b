public import StrataPropertyList
import Synchronization

/// What a key's stored value was decoded to last, so that reading it again costs a look.
///
/// It needs no word of any change: another stored value is seen to be another one. Nobody waits for
/// it either: who finds it in use decodes.
@usableFromInline
final class DecodedValue<Value: Sendable>: DecodedStamp, @unchecked Sendable {
  // Safety: who took it is alone with it until giving it back.
  @usableFromInline var value: Value?

  /// What `stored` was found to say; nil when that is not known.
  @inlinable
  func known(_ stored: PropertyListValue) -> Value? {
    guard take(ifMadeOf: stored) else { return nil }
    defer { giveBack() }
    return value
  }

  func remember(_ value: Value, madeOf stored: PropertyListValue) {
    guard take() else { return }
    self.value = value
    self.stored = stored
    giveBack()
  }
}

/// Whose turn it is with a decoded value, and what that was made of.
@usableFromInline
class DecodedStamp: @unchecked Sendable {
  // Safety: whoever turned `isTaken` from false to true is alone with the rest until turning it
  // back, which the next one acquires.
  private let isTaken = Atomic(false)
  private let identity = Atomic<UInt>(0)
  final var stored: PropertyListValue? {
    didSet { identity.store(stored.map(Self.identity) ?? 0, ordering: .relaxed) }
  }

  init() {}

  @usableFromInline
  final func take(ifMadeOf stored: PropertyListValue) -> Bool {
    let wanted = Self.identity(of: stored)
    guard take() else { return false }
    let isSame =
      wanted == 0 ? self.stored == stored : wanted == identity.load(ordering: .relaxed)
    if !isSame { giveBack() }
    return isSame
  }

  /// What tells an array or a dictionary from every other one in memory; 0 for other values.
  @inline(__always)
  private static func identity(of stored: PropertyListValue) -> UInt {
    // Safety: both are one reference to what holds their elements. It is compared, and never
    // followed; what it was taken from is kept in `stored`, so that nothing else can be there.
    switch stored {
    case .array(let items): unsafeBitCast(items, to: UInt.self)
    case .dictionary(let items): unsafeBitCast(items, to: UInt.self)
    default: 0
    }
  }

  @inline(__always)
  final func take() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }

  @usableFromInline
  final func giveBack() { isTaken.store(false, ordering: .releasing) }
}
