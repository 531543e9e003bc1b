/// Being told that somebody may have changed something.
extension Layer {
  /// Has the next read of each domain look for edits, where one may have been made.
  package static func expectNews(in layers: [Layer]) {
    // One look at the queue that they share.
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
  package func expectNews() { Layer.expectNews(in: [.file(self)]) }
}
