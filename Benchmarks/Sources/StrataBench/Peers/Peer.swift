/// A way to store defaults: ours or another.
protocol Peer: Sendable {
  var name: String { get }
  /// Up to how many keys it works, and sets, durable sets and filling one by one are worth their
  /// time.
  var limits: PeerLimits { get }
  /// Whether another process that reads sees a set without more.
  var isCoherent: Bool { get }
  /// Whether a process can be told what another one sets.
  var tells: Bool { get }

  /// Makes a store with these keys, and nothing pending; the key at `i` has the kind `i % 3`.
  func prepare(_ directory: String, _ keys: Keys) throws
  func open(_ directory: String) throws -> any PeerStore
  /// The type of what `open` returns: for one that is generic, the runtime searches all libraries
  /// when it is first asked for, which is none of the peer's doing.
  var storeType: any PeerStore.Type { get }
}

struct PeerLimits: Sendable {
  let keys: Int
  let set: Int
  let synchronize: Int
  let fill: Int
}

extension Peer {
  var tells: Bool { false }
}

/// An open store. Loops stand in here, so that no dynamic call is measured.
protocol PeerStore: Sendable {
  /// The sum of the values, or of the lengths of strings.
  func read(_ kind: Kind, _ keys: Keys, _ operations: Int) throws -> Int64
  /// The same for the first key of a kind, which may be a literal.
  func readHot(_ kind: Kind, _ operations: Int) throws -> Int64
  /// Gives integer keys the values `first`, `first + 1`, …
  func set(_ keys: Keys, _ operations: Int, from first: Int64) throws
  func setAndRead(_ keys: Keys, _ operations: Int, from first: Int64) throws
  func setAndSynchronize(_ keys: Keys, _ operations: Int, from first: Int64) throws
  /// Has `told` called with each new value of an integer key, until it returns true.
  func observe(_ keys: Keys, _ told: @escaping @Sendable (Int64) -> Bool) throws
  /// Brings what is pending to its place, so that the next measurement is not disturbed.
  func settle()
  func close()
}

extension PeerStore {
  func settle() {}
  func observe(_ keys: Keys, _ told: @escaping @Sendable (Int64) -> Bool) throws {
    throw BenchError("\(self) tells nothing")
  }
}

/// Values that were not set before.
final class FreshValues: @unchecked Sendable {
  // Safety: the benchmark asks from one thread.
  private var next: Int64 = 1 << 40

  func take(_ count: Int) -> Int64 {
    defer { next += Int64(count) }
    return next
  }
}
