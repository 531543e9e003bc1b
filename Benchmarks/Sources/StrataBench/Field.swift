import Foundation

/// Open stores with the same keys, one of each contestant.
struct Field {
  struct Entry {
    let contestant: Contestant
    let store: any PeerStore
    let directory: String

    var name: String { contestant.name }
    var limits: PeerLimits { contestant.peer.limits }
  }

  let count: Int
  let entries: [Entry]

  /// Makes the stores, opens them and has every value read; who fails is left out from then on.
  init(_ count: Int, in directory: String, of contestants: inout Contestants) throws {
    self.count = count
    let keys = Keys.first(count)
    var entries: [Entry] = []
    for contestant in contestants.all where count <= contestant.peer.limits.keys {
      let place = try makeDirectory("\(directory)/\(contestant.name)-\(count)")
      do {
        try contestant.peer.prepare(place, keys)
        let store = try contestant.peer.open(place)
        try Self.check(store, count)
        entries.append(Entry(contestant: contestant, store: store, directory: place))
      } catch {
        if contestant.id == "strata" { throw error }
        contestants.remove(contestant, because: error)
      }
    }
    self.entries = entries
  }

  func close() { for entry in entries { entry.store.close() } }

  private static func check(_ store: any PeerStore, _ count: Int) throws {
    for kind in Kind.allCases {
      let keys = Keys.random(kind, of: count)
      let sum = try store.read(kind, keys, keys.texts.count)
      guard sum == Keys.sum(kind, of: count) else {
        throw BenchError("reads \(kind.name)s that were not stored (\(sum) in all)")
      }
    }
  }
}

/// A new directory, for its owner alone.
func makeDirectory(_ path: String) throws -> String {
  try FileManager.default.createDirectory(
    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  return path
}
