public import StrataDefaults
import Synchronization

public import class StrataDefaults.UserDefaults

/// Sets the store of `AppStorage` properties that are declared without one, from now on and in the
/// whole program. Nil, the initial value, stands for `UserDefaults.standard`.
public func defaultAppStorage(_ store: UserDefaults?) { AppStorageStore.chosen = store }

/// Sets that store for the properties that `body`, and the tasks that it starts, create.
public func defaultAppStorage<Result>(
  _ store: UserDefaults, _ body: () throws -> Result
) rethrows -> Result {
  try AppStorageStore.$ofTask.withValue(store, operation: body)
}

/// The store of properties that are declared without one.
enum AppStorageStore {
  @TaskLocal static var ofTask: UserDefaults?

  private static let ofProgram = Mutex<UserDefaults?>(nil)

  static var chosen: UserDefaults? {
    get { ofProgram.withLock { $0 } }
    set {
      // The previous store is released outside of the lock, since that may run the program's code.
      _ = ofProgram.withLock { chosen in
        defer { chosen = newValue }
        return chosen
      }
    }
  }

  static var current: UserDefaults { ofTask ?? chosen ?? .standard }
}
