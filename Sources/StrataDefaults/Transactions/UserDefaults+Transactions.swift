import StrataDomains
import StrataPropertyList
import StrataStorage

/// Reading and setting values atomically, across processes.
extension UserDefaults {
  /// Changes a value atomically: no change by this or by another thread or process is lost.
  ///
  /// ```swift
  /// defaults.update(.launches) { $0 += 1 }
  /// ```
  ///
  /// `body` is passed the value that was set, or else the one of the next domain; values that hide
  /// it, as an administrator's, are not considered. It is called again if another thread or process
  /// was faster, and never under a lock. Its result is stored, unless it equals the current value.
  /// A stored value that the key can't read is replaced as well, and kept in the same domain under
  /// the key's name with `.undecodable` appended, which the handler of ``onMismatch(_:)`` is called
  /// with. If the result can't be stored, the value is left as it was and a line is written to the
  /// log. Setting the key inside of `body` in another way is a programming error and ends the
  /// program. What a subclass overrides is not called: no override could be atomic.
  /// - Returns: what `body` returned.
  @discardableResult
  @_disfavoredOverload
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
      let (result, changed) = try OwnChanges.collect(if: isRepeated, in: stack.own) {
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

  /// Changes the value of a key without a declaration atomically.
  @discardableResult
  @_disfavoredOverload
  public func update<Value: StorableValue, Result, Failure: Error>(
    _ name: String, default value: Value, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try update(Key(name, default: value), body)
  }

  /// Reads and sets several values atomically: no other thread or process interleaves, and all of
  /// them see all changes or none, also after a crash.
  ///
  /// ```swift
  /// defaults.transaction { draft in
  ///   draft[.credit] -= price
  ///   draft[.spent] += price
  ///   draft["LastPurchase"] = .string(name)
  /// }
  /// ```
  ///
  /// `body` reads the values that were set, all as of one moment, or else those of the next
  /// domains, each as it is when it is read. It is called again if others have changed a set value
  /// that it read, and never under a lock. If it throws, nothing is set. If a value can't be
  /// stored, nothing is set and a line is written to the log. Setting a key that `body` has read in
  /// another way inside of it is a programming error and ends the program. What a subclass
  /// overrides is not called.
  /// - Returns: what `body` returned.
  @discardableResult
  @_disfavoredOverload
  public func transaction<Result, Failure: Error>(
    _ body: (inout Transaction) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var isRepeated = false
    while true {
      var draft = Transaction(on: stack)
      let (result, changed) = try OwnChanges.collect(if: isRepeated, in: stack.own) {
        () throws(Failure) in try body(&draft)
      }
      if let refusal = draft.refusal {
        Log.write(refusal.description)
        return result
      }
      let (kept, isApplied) = attempt(&draft)
      if isApplied {
        for mismatch in draft.mismatches + kept { report(mismatch) }
        return result
      }
      refuse(draft.expected.map(\.key), in: changed, "transaction")
      isRepeated = true
    }
  }

  /// A closure that sets its keys in another way would be called for ever.
  private func refuse(_ keys: [String], in changed: Set<String>, _ name: String) {
    guard let key = keys.first(where: changed.contains) else { return }
    fatalError(
      "the closure of \(name) sets key \(key.debugDescription) other than through its "
        + "argument and would be called again forever; change the argument instead")
  }

  /// The values of all keys, those of each domain as of one moment: of the changes in one
  /// ``transaction(_:)`` it has all or none.
  @_disfavoredOverload
  public func snapshot() -> Snapshot {
    Snapshot(stack.values(), reportingTo: mismatches)
  }

  /// The change that `update` is about to make.
  private struct Step {
    let name: String
    let old: PropertyListValue?
    let new: PropertyListValue?
    /// The value that the key could not read, and that would be lost.
    let unreadable: PropertyListValue?

    init(
      _ name: String, from old: PropertyListValue?, to new: PropertyListValue?, isUnreadable: Bool
    ) {
      (self.name, self.old, self.new) = (name, old, new)
      unreadable = isUnreadable ? old : nil
    }
  }

  /// - Returns: false if it must be tried again.
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

  /// - Returns: what was kept, to be reported if it was applied; and false if it must be tried
  ///   again.
  private func attempt(_ draft: inout Transaction) -> (kept: [Mismatch], isApplied: Bool) {
    do throws(DefaultsError) {
      let kept = try draft.keepUnreadable()
      return (kept, attempt(draft.changes, ifStill: draft.expected))
    } catch {
      Log.write(error.description)
      return ([], true)
    }
  }

  /// - Returns: false if it must be tried again.
  private func attempt(_ changes: [Change], ifStill expected: [Change]) -> Bool {
    do throws(DefaultsError) {
      return try change(changes, ifStill: expected)
    } catch {
      if error.isMistake { fatalError(error.description) }
      Log.write(error.description)
      return true
    }
  }

  /// The outer nil means that it can't be stored; the reason is in the log.
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
