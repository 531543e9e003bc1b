import CBench

/// A peer written in C, from a shared object.
struct PluginPeer: Peer, @unchecked Sendable {
  // Safety: a constant of a shared object that is never unloaded.
  private let peer: UnsafePointer<bench_peer>

  init(path: String) throws {
    var loaded: UnsafePointer<bench_peer>?
    let reason = Self.reason { loaded = bench_load(path, $0, $1) }
    guard let loaded else { throw BenchError(reason) }
    peer = loaded
  }

  var name: String { String(cString: peer.pointee.name) }
  var isCoherent: Bool { peer.pointee.is_coherent != 0 }
  var tells: Bool { peer.pointee.observe != nil }
  var limits: PeerLimits {
    PeerLimits(
      keys: peer.pointee.keys_max, set: peer.pointee.set_keys_max,
      synchronize: peer.pointee.synchronize_keys_max, fill: peer.pointee.fill_keys_max)
  }

  func prepare(_ directory: String, _ keys: Keys) throws {
    guard peer.pointee.prepare(directory, keys.pointers, keys.texts.count) == 0 else {
      throw BenchError("\(name) can't make a store")
    }
  }

  var storeType: any PeerStore.Type { PluginStore.self }

  func open(_ directory: String) throws -> any PeerStore {
    var store: UnsafeMutableRawPointer?
    let reason = Self.reason { store = peer.pointee.open(directory, $0, $1) }
    guard let store else { throw BenchError("\(name): \(reason)") }
    return PluginStore(peer: peer, store: store)
  }

  private static func reason(
    _ body: (UnsafeMutablePointer<CChar>?, Int) -> Void
  ) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 500) { buffer in
      buffer.initialize(repeating: 0)
      body(buffer.baseAddress, buffer.count)
      return buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
  }
}

struct PluginStore: PeerStore, @unchecked Sendable {
  // Safety: the peer keeps threads apart; the store is open until `close`.
  let peer: UnsafePointer<bench_peer>
  let store: UnsafeMutableRawPointer

  func read(_ kind: Kind, _ keys: Keys, _ operations: Int) throws -> Int64 {
    let sum = peer.pointee.read(
      store, CInt(kind.rawValue), keys.pointers, keys.texts.count, operations)
    guard sum >= 0 else { throw failure("read") }
    return sum
  }

  func readHot(_ kind: Kind, _ operations: Int) throws -> Int64 {
    try read(kind, Self.hotKeys[kind.rawValue], operations)
  }

  private static let hotKeys = Kind.allCases.map(Keys.hot)

  func set(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    guard peer.pointee.set(store, keys.pointers, keys.texts.count, operations, first) == 0
    else { throw failure("set") }
  }

  func setAndRead(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    guard peer.pointee.set_read(store, keys.pointers, keys.texts.count, operations, first) == 0
    else { throw failure("set and read back") }
  }

  func setAndSynchronize(_ keys: Keys, _ operations: Int, from first: Int64) throws {
    let code = peer.pointee.set_synchronize(
      store, keys.pointers, keys.texts.count, operations, first)
    guard code == 0 else { throw failure("set and synchronize") }
  }

  func observe(_ keys: Keys, _ told: @escaping @Sendable (Int64) -> Bool) throws {
    final class Listener {
      let told: @Sendable (Int64) -> Bool
      init(_ told: @escaping @Sendable (Int64) -> Bool) { self.told = told }
    }
    let listener = Listener(told)
    let code = withExtendedLifetime(listener) {
      peer.pointee.observe?(
        store, keys.pointers[0],
        { value, context in
          guard let context else { return 1 }
          return Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().told(value) ? 1 : 0
        }, Unmanaged.passUnretained(listener).toOpaque())
    }
    guard code == 0 else { throw failure("observe") }
  }

  func close() { peer.pointee.close(store) }

  private func failure(_ what: String) -> BenchError {
    BenchError("\(String(cString: peer.pointee.name)) failed to \(what)")
  }
}
