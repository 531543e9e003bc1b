import Foundation
public import StrataDefaults

public import class StrataDefaults.UserDefaults

/// Which settings `AppStorage` uses that is given none, from now on and in the whole program; nil,
/// as at the start, for what is `standard`.
public func defaultAppStorage(_ store: UserDefaults?) { AppStorageStore.chosen = store }

/// The same for what `body` makes, and the tasks that it starts.
public func defaultAppStorage<Result>(
  _ store: UserDefaults, _ body: () throws -> Result
) rethrows -> Result {
  try AppStorageStore.$ofTask.withValue(store, operation: body)
}

/// Which settings are meant where none are named.
enum AppStorageStore {
  @TaskLocal static var ofTask: UserDefaults?

  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var ofProgram: UserDefaults?
  private static let lock = NSLock()

  static var chosen: UserDefaults? {
    get { lock.withLock { ofProgram } }
    set { lock.withLock { ofProgram = newValue } }
  }

  static var current: UserDefaults { ofTask ?? chosen ?? .standard }
}
