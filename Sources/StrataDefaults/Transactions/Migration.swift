import StrataPropertyList
import StrataStorage

/// Bringing the values of an older version to the form of this one.
extension UserDefaults {
  /// One step from how an older version of a program stored its values to how this one does.
  public struct Migration: Sendable {
    let run: @Sendable (inout Transaction) -> Void

    /// Gives a value another key; one that is there already stays.
    public static func rename(_ old: String, to new: String) -> Migration {
      Migration { draft in
        // Two spellings of one key are one key, too.
        guard old != new, let value = draft.ownValue(old) else { return }
        if draft.ownValue(new) == nil { draft[new] = value }
        draft[old] = nil
      }
    }

    /// Stores a value as its type is stored, as in the text `"12"` that becomes a number. A value
    /// that can't be read as one stays.
    public static func retype<Value: StorableValue>(
      _ name: String, to type: Value.Type
    ) -> Migration {
      transform(name, from: Value.self) { $0 }
    }

    /// Replaces a value by what is made of it; nil removes it. A value of another type stays.
    public static func transform<Old: StorableValue, New: StorableValue>(
      _ name: String, from type: Old.Type, _ body: @escaping @Sendable (Old) -> New?
    ) -> Migration {
      Migration { draft in
        guard let stored = draft.ownValue(name), let old = Old(stored: stored) else { return }
        do {
          draft[name] = try body(old)?.stored()
        } catch {
          Log.write("the migration of \(name) can't store its value: \(error)")
        }
      }
    }

    /// Takes values away.
    public static func remove(_ names: String...) -> Migration {
      Migration { draft in
        for name in names where draft.ownValue(name) != nil { draft[name] = nil }
      }
    }
  }

  /// Brings the stored values to how this version of the program stores them: to be called first of
  /// all, before anything is read.
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
  /// Each step of the list is run once in the life of the domain, in order, and all that are new at
  /// one moment: a process that is killed has done everything or nothing, and of several that begin
  /// together one does it. How many were run is stored in the domain, under
  /// ``migrationsKey``; so later versions add steps at the end, and change or remove none.
  /// - Parameters:
  ///   - steps: all steps that there ever were, the oldest first.
  ///   - list: names the list, where a domain has several, as of a program and a library.
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

  /// What the numbers of steps that ``migrate(_:list:)`` has run are stored under.
  public static var migrationsKey: String { "StrataMigrations" }
}
