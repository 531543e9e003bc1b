import StrataPropertyList
import StrataStorage

/// Migrating the values that an older version of a program stored.
extension UserDefaultsTypes {
  /// One step from the values that an older version of a program stored to those of this one.
  public struct Migration: Sendable {
    let run: @Sendable (inout Transaction) -> Void

    /// Moves a value to another key. If that has a value already, both stay.
    public static func rename(_ old: String, to new: String) -> Migration {
      Migration { draft in
        // Two spellings of one key are one key, too.
        guard old != new, let value = draft.ownValue(old), draft.ownValue(new) == nil else {
          return
        }
        draft[new] = value
        draft[old] = nil
      }
    }

    /// Stores a value as its type is stored: the text `"12"`, for example, becomes a number. A
    /// value that can't be read as that type stays.
    public static func retype<Value: StorableValue>(
      _ name: String, to type: Value.Type
    ) -> Migration {
      transform(name, from: Value.self) { $0 }
    }

    /// Replaces a value by the result of a closure, or removes it for nil. A value of another type
    /// stays.
    public static func transform<Old: StorableValue, New: StorableValue>(
      _ name: String, from type: Old.Type, _ body: @escaping @Sendable (Old) -> New?
    ) -> Migration {
      Migration { draft in
        guard let stored = draft.ownValue(name), let old = Old(stored: stored) else { return }
        do {
          draft[name] = try body(old)?.stored()
        } catch {
          Log.write("the migration of \(name) could not store its value: \(error)")
        }
      }
    }

    /// Removes values.
    public static func remove(_ names: String...) -> Migration {
      Migration { draft in
        for name in names where draft.ownValue(name) != nil { draft[name] = nil }
      }
    }
  }
}

extension UserDefaults {
  /// Migrates the stored values to this version of the program. Call it before anything is read.
  ///
  /// ```swift
  /// UserDefaults.standard.migrate([
  ///   .rename("ShowLines", to: "ShowLineNumbers"),
  ///   .retype("FontSize", to: Int.self),
  ///   .transform("Theme", from: String.self) { $0.lowercased() },
  ///   .remove("Obsolete"),
  /// ])
  /// ```
  ///
  /// Each step runs once in the life of the domain, in order, and all new ones atomically: a
  /// process that is killed has done all or nothing, and of several that start together, one does
  /// it. The number of steps that were run is stored in the domain, under ``migrationsKey``; so
  /// later versions append steps, and change or remove none. Whoever replaces or removes the whole
  /// domain begins its life anew.
  /// - Parameters:
  ///   - steps: all steps that there have ever been, the oldest first.
  ///   - list: the name of the list, if a domain has several, as for a program and a library.
  @_disfavoredOverload
  public func migrate(_ steps: [Migration], list: String = "program") {
    transaction { draft in
      var counts: [String: PropertyListValue] = [:]
      if case .dictionary(let known)? = draft.ownValue(Self.migrationsKey) { counts = known }
      let done = counts[list].flatMap { Int(stored: $0) } ?? 0
      guard done >= 0, done < steps.count else { return }
      for step in steps[done...] { step.run(&draft) }
      counts[list] = .integer(Int64(steps.count))
      draft[Self.migrationsKey] = .dictionary(counts)
    }
  }

  /// The key for the numbers of steps that ``migrate(_:list:)`` has run.
  @_disfavoredOverload
  public static var migrationsKey: String { "StrataMigrations" }
}
