import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Synchronization

/// Limits on the size of a domain.
extension UserDefaults {
  // Ordering: numbers that nothing is behind.
  private static let soft = Atomic<Int>(4 << 20)
  private static let hard = Atomic<Int>(.max)

  /// The size in bytes past which a domain is reported as too large, by a notification, a message
  /// and a line in the log. Values are stored nevertheless. `Preferences` does not check it.
  /// Domains are read whole, so large data belongs in files.
  @_disfavoredOverload
  public static var sizeLimit: Int {
    get { soft.load(ordering: .relaxed) }
    set { soft.store(newValue, ordering: .relaxed) }
  }

  /// The largest size in bytes to which a domain may grow. Past it nothing more is stored:
  /// `store(_:forKey:)` throws, and `set(_:forKey:)` leaves the old value and writes a line to the
  /// log. `Preferences` does not check it. Nil, the initial value, is no limit.
  @_disfavoredOverload
  public static var hardSizeLimit: Int? {
    get {
      let limit = hard.load(ordering: .relaxed)
      return limit == .max ? nil : limit
    }
    set { hard.store(newValue ?? .max, ordering: .relaxed) }
  }

  func checkHardLimit(_ value: PropertyListValue?, _ key: String) throws(DefaultsError) {
    guard Self.isLimited else { return }
    let growth = stack.own.growth(with: value, forKey: key)
    if growth <= 0 { return }  // what is too large may shrink
    try refuse(
      stack.own.size + growth, in: stack.identifier.name, key: key,
      what: "the value for key \(key) was")
  }

  /// Checks changes that are made together.
  func checkHardLimit(_ changes: [Change]) throws(DefaultsError) {
    guard Self.isLimited else { return }
    let own = stack.own
    let growth = changes.reduce(0) { $0 + own.growth(with: $1.value, forKey: $1.key) }
    if growth <= 0 { return }
    try refuse(
      own.size + growth, in: stack.identifier.name, key: changes[0].key,
      what: "the values for keys \(changes.map(\.key).joined(separator: ", ")) were")
  }

  /// Checks all values of a domain.
  func checkHardLimit(
    _ values: [String: PropertyListValue], in domain: String
  ) throws(DefaultsError) {
    guard Self.isLimited else { return }
    let empty = Layer.memory(MemoryStore())
    try refuse(
      values.reduce(0) { $0 + empty.growth(with: $1.value, forKey: $1.key) }, in: domain,
      what: "the values of domain \(domain) were")
  }

  private static var isLimited: Bool { hard.load(ordering: .relaxed) != .max }

  @inline(never)
  private func refuse(
    _ size: Int, in domain: String, key: String? = nil, what: String
  ) throws(DefaultsError) {
    let limit = Self.hard.load(ordering: .relaxed)
    guard size > limit else { return }
    postSizeLimitExceeded()
    throw DefaultsError(
      key: key,
      reason: "\(what) not stored: \(domain) would hold \(size) bytes, and "
        + "UserDefaults.hardSizeLimit is \(limit); store large data in files")
  }

  @inline(__always)
  func checkSizeLimit(of layer: Layer, _ domain: @autoclosure () -> String) {
    guard layer.hasGrown(past: Self.soft.load(ordering: .relaxed)) else { return }
    Log.write(
      "\(domain()): the domain holds more than \(Self.sizeLimit) bytes; settings are read whole: "
        + "store large data in files")
    postSizeLimitExceeded()
  }

  private func postSizeLimitExceeded() {
    Posting.perform(for: self) {
      NotificationCenter.default.post(name: Self.sizeLimitExceededNotification, object: $0)
    }
    guard SizeLimitExceededMessage.isRequested.load(ordering: .relaxed) else { return }
    if Foundation.Thread.isMainThread {
      MainActor.assumeIsolated {
        NotificationCenter.default.post(SizeLimitExceededMessage(), subject: self)
      }
    } else {
      Task { @MainActor in
        NotificationCenter.default.post(SizeLimitExceededMessage(), subject: self)
      }
    }
  }
}
