/// Learning that somebody may have changed something.
extension Layer {
  /// Has the next read of each domain look for edits, if there may be any.
  package static func lookForEdits(in layers: [Layer]) {
    // The queue that the domains share is drained once.
    var drained: Feed?
    for case .file(let store) in layers {
      store.lock.withLock {
        if store.feed !== drained {
          store.feed.drain()
          drained = store.feed
        }
        if !store.isSubscribed || store.hint.isRaised { store.table.checkAt = 0 }
      }
    }
  }
}

extension Store {
  package func lookForEdits() { Layer.lookForEdits(in: [.file(self)]) }
}
