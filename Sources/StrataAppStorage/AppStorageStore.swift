public import StrataDefaults
import Synchronization

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

  private static let ofProgram = Mutex<UserDefaults?>(nil)

  static var chosen: UserDefaults? {
    get { ofProgram.withLock { $0 } }
    set {
      // Who was chosen before ends outside of the lock: that may be code of the program.
      _ = ofProgram.withLock { chosen in
        defer { chosen = newValue }
        return chosen
      }
    }
  }

  static var current: UserDefaults { ofTask ?? chosen ?? .standard }
}
