import StrataDomains
import StrataPropertyList
import StrataStorage

/// Reading and setting as one step, in every process's eyes.
extension UserDefaults {
  /// Changes a value with nobody in between: whatever other threads and processes do, no change of
  /// theirs is lost, and none of this one.
  ///
  /// ```swift
  /// defaults.update(.launches) { $0 += 1 }
  /// ```
  ///
  /// `body` gets the value that counts where nothing from above hides it: what was set, else what
  /// is behind it. It is called again when another thread or process was faster, and never under a
  /// lock. What it ends with is stored; only where it is the value that there is already, nothing
  /// is. Something that the key can't read is replaced, too, and is kept in the same domain under
  /// the key's name with `.undecodable` behind it, as ``onMismatch(_:)`` is told. What can't be
  /// stored leaves the value as it was, and a line in the log. To set the key inside of `body` by
  /// another way is a mistake, and ends the program.
  /// - Returns: what `body` returned.
  @discardableResult
  public func update<Value, Result, Failure: Error>(
    _ key: Key<Value>, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var isRepeated = false
    while true {
      let own = stack.own.value(forKey: key.name)
      let stored = own ?? stack.valueBelowOwn(key.name)
      let known = stored.flatMap(key.value(of:))
      let isUnreadable = stored != nil && known == nil
      var value = known ?? stored.map { mismatched($0, key) } ?? key.defaultValue
      let before = Self.encoded(value, key)
      let (result, changed) = try OwnChanges.collect(if: isRepeated, in: stack) {
        () throws(Failure) in try body(&value)
      }
      guard let new = Self.encoded(value, key) else { return result }
      if isUnreadable ? new == own : new == before { return result }
      let step = Step(key.name, from: own, to: new, isUnreadable: isUnreadable)
      if attempt(step, on: key) { return result }
      refuse([key.name], in: changed, "update")
      isRepeated = true
    }
  }

  /// The same for a key without a declaration.
  @discardableResult
  public func update<Value: StorableValue, Result, Failure: Error>(
    _ name: String, default value: Value, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try update(Key(name, default: value), body)
  }

  /// Reads and sets several values as one step: no other thread or process comes in between, all
  /// see everything or nothing of it, and so it is after a crash.
  ///
  /// ```swift
  /// defaults.transaction { draft in
  ///   draft[.credit] -= price
  ///   draft[.spent] += price
  ///   draft["LastPurchase"] = .string(name)
  /// }
  /// ```
  ///
  /// `body` reads what was set, else what is behind it, all as it was at one moment. It is called
  /// again when somebody else changed what it read, and never under a lock; when it throws, nothing
  /// is set. What can't be stored leaves everything as it was, and a line in the log. To set inside
  /// of `body` by another way what it read is a mistake, and ends the program.
  /// - Returns: what `body` returned.
  @discardableResult
  public func transaction<Result, Failure: Error>(
    _ body: (inout Transaction) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var isRepeated = false
    while true {
      var draft = Transaction(on: stack)
      let (result, changed) = try OwnChanges.collect(if: isRepeated, in: stack) {
        () throws(Failure) in try body(&draft)
      }
      if let refusal = draft.refusal {
        Log.write(refusal.description)
        return result
      }
      let (kept, isApplied) = attempt(&draft)
      if isApplied {
        for mismatch in kept { report(mismatch) }
        return result
      }
      refuse(draft.expected.map(\.key), in: changed, "transaction")
      isRepeated = true
    }
  }

  /// A closure that itself changes what it was given to change would be called for ever.
  private func refuse(_ keys: [String], in changed: Set<String>, _ name: String) {
    guard let key = keys.first(where: changed.contains) else { return }
    fatalError(
      "the closure of \(name) sets key \(key.debugDescription) by another way than by what it is "
        + "given, so that it would be called again for ever; change what it is given")
  }

  /// The values of all keys, those of each domain as they were at one moment: whoever sets several
  /// in a ``transaction(_:)`` is seen to have set all of them or none.
  public func snapshot() -> Snapshot { Snapshot(stack.values()) }

  /// What `update` is about to do.
  private struct Step {
    let name: String
    let old: PropertyListValue?
    let new: PropertyListValue?
    /// What the key could not read, and would lose.
    let unreadable: PropertyListValue?

    init(
      _ name: String, from old: PropertyListValue?, to new: PropertyListValue?, isUnreadable: Bool
    ) {
      (self.name, self.old, self.new) = (name, old, new)
      unreadable = isUnreadable ? old : nil
    }
  }

  /// - Returns: false when there is to be another try.
  private func attempt<Value>(_ step: Step, on key: Key<Value>) -> Bool {
    var changes = [Change(key: step.name, value: step.new)]
    var expected = [Change(key: step.name, value: step.old)]
    guard let unreadable = step.unreadable else { return attempt(changes, ifStill: expected) }
    do throws(DefaultsError) {
      let kept = try KeptValue(unreadable, of: step.name) { stack.own.value(forKey: $0) }
      changes.append(kept.change)
      expected.append(kept.expected)
      guard attempt(changes, ifStill: expected) else { return false }
      if stack.own.value(forKey: kept.name) == unreadable {
        report(Mismatch(key, unreadable, Value.self, keptUnder: kept.name))
      }
    } catch {
      Log.write(error.description)
    }
    return true
  }

  /// - Returns: what was kept, to be told once it is; and false when there is to be another try.
  private func attempt(_ draft: inout Transaction) -> (kept: [Mismatch], isApplied: Bool) {
    do throws(DefaultsError) {
      let kept = try draft.keepUnreadable()
      return (kept, attempt(draft.changes, ifStill: draft.expected))
    } catch {
      Log.write(error.description)
      return ([], true)
    }
  }

  /// - Returns: false when there is to be another try.
  private func attempt(_ changes: [Change], ifStill expected: [Change]) -> Bool {
    do throws(DefaultsError) {
      return try change(changes, ifStill: expected)
    } catch {
      if error.isMistake { fatalError(error.description) }
      Log.write(error.description)
      return true
    }
  }

  /// The outer nil: it can't be stored, and the log says why.
  private static func encoded<Value>(
    _ value: Value, _ key: Key<Value>
  ) -> PropertyListValue?? {
    do throws(DefaultsError) {
      return .some(try stored(value, key))
    } catch {
      Log.write(error.description)
      return nil
    }
  }
}

extension Default {
  /// Changes the value so that no other process can interleave.
  @discardableResult
  public func update<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try store.update(key, body)
  }
}
