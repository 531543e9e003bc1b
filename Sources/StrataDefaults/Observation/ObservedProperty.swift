import StrataDomains
import StrataStorage

/// A property of any object, observed by the keys that it reads, of whichever settings.
///
/// Each search list has an observer of its own. All of them have the property read again, one
/// thread at a time; what another thread finds meanwhile, that thread delivers as well.
package final class ObservedProperty<Root: AnyObject, Value: Sendable>: @unchecked Sendable {
  // Safety: `lock` guards the state of delivery and `observed`; `last` is used by the delivering
  // thread only; all else is constant.
  private weak var root: Root?
  private let keyPath: KeyPath<Root, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: @Sendable (Root, NSKeyValueObservedChange<Value>) -> Void
  private var last: Value?

  private var observed: [(stack: Stack, observer: Observer)] = []
  private var deliveringThread: ThreadIdentity?
  private var depth = 0
  private var isChanged = false
  private var isEnded = false
  private let lock = Lock(.memory)

  /// A property that reads other keys each time it is read is observed by the keys of this read.
  private static var lookCountMax: Int { 16 }

  private init(
    of root: Root, _ keyPath: KeyPath<Root, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping @Sendable (Root, NSKeyValueObservedChange<Value>) -> Void
  ) {
    self.root = root
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
  }

  /// Observes a property until the returned token is released. The object is not retained.
  package static func observe(
    of root: Root, _ keyPath: KeyPath<Root, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping @Sendable (Root, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let property = ObservedProperty(of: root, keyPath, options, handler)
    property.update(isFirst: true)
    return NSKeyValueObservation { property.end() }
  }

  private func end() {
    let ended = lock.withLock {
      isEnded = true
      defer { observed.removeAll() }
      return observed
    }
    for (stack, observer) in ended { stack.remove(observer) }
  }

  /// Reads the property, and delivers its value if it is another one.
  private func update(isFirst: Bool = false) {
    guard beginDelivery() else { return }
    repeat { deliver(isFirst: isFirst) } while endDelivery()
  }

  /// - Returns: false if another thread delivers, which will look once more.
  private func beginDelivery() -> Bool {
    lock.withLock {
      if let thread = deliveringThread, thread != .current {
        if !thread.isOfParent {
          isChanged = true
          return false
        }
        depth = 0
      }
      deliveringThread = .current
      depth += 1
      return true
    }
  }

  /// - Returns: whether to look once more.
  private func endDelivery() -> Bool {
    lock.withLock {
      if depth == 1, isChanged {
        isChanged = false
        return true
      }
      depth -= 1
      if depth == 0 { deliveringThread = nil }
      return false
    }
  }

  private func deliver(isFirst: Bool) {
    guard let root, !lock.withLock({ isEnded }) else { return }
    let new = value(of: root)
    let old = last
    last = new
    if old == nil, isFirst, !options.contains(.initial) { return }
    if let old, areEqual(old, new) || lock.withLock({ isEnded }) { return }
    handler(root, NSKeyValueObservedChange(from: old, to: new, options))
  }

  /// Reads the value and observes all keys that it depends on: later changes are delivered.
  private func value(of root: Root) -> Value {
    var (value, reads) = KeyRecorder.record { root[keyPath: keyPath] }
    for _ in 0..<Self.lookCountMax where observe(reads) {
      (value, reads) = KeyRecorder.record { root[keyPath: keyPath] }
    }
    return value
  }

  /// Observes these keys instead of those before.
  /// - Returns: whether they are others, so that a change may have been missed.
  private func observe(_ reads: [KeyRecorder.Reads]) -> Bool {
    let before = lock.withLock { observed }
    var isOther = false
    for item in before where !reads.contains(where: { $0.stack === item.stack }) {
      lock.withLock { observed.removeAll { $0.observer === item.observer } }
      item.stack.remove(item.observer)
    }
    for read in reads {
      if let item = before.first(where: { $0.stack === read.stack }) {
        if item.observer.keys == read.keys { continue }
        read.stack.setKeys(of: item.observer, to: read.keys)
      } else {
        add(Observer(read.keys) { [weak self] _ in self?.update() }, to: read.stack)
      }
      isOther = true
    }
    return isOther
  }

  private func add(_ observer: Observer, to stack: Stack) {
    let isAdded = lock.withLock {
      if !isEnded { observed.append((stack, observer)) }
      return !isEnded
    }
    guard isAdded else { return }
    stack.add(observer)
  }
}
