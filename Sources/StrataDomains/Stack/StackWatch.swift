import StrataStorage

/// Watches all domains of a search list, including those that are added later.
final class StackWatch: @unchecked Sendable {
  // Safety: constants, and the watches, which the lock guards.
  private let stack: Stack
  private let body: @Sendable () -> Void
  private let directories = DirectoryWatch()
  private var watches: [(store: Store, watch: Store.Watch)] = []
  // Held while watches begin and end, so that of two threads the last one sees what is there.
  private let lock = Lock(.watching)

  init(_ stack: Stack, _ body: @escaping @Sendable () -> Void) {
    self.stack = stack
    self.body = body
  }

  deinit { directories.setListener(nil) }

  func start() {
    directories.setListener { [weak self] in
      self?.update()
      self?.body()
    }
    // What a first read looks for, if there has been none.
    stack.reloadIfDirectoriesAppeared()
    update()
  }

  /// Watches the domains that exist, and waits for the directories that don't.
  private func update() {
    lock.withLock {
      directories.watch(stack.missingDirectories)
      stack.reloadLayers()
      let stores = stack.stores
      watches.removeAll { item in !stores.contains { $0 === item.store } }
      for store in stores where !watches.contains(where: { $0.store === store }) {
        // Also called if a value is the same again: `body` may have read the one in between.
        watches.append((store, store.addListener { [body] _ in body() }))
        store.lookForEdits()
      }
    }
  }
}
