import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataStorage

/// The settings of one domain: what they are, how they are changed, and what has changed.
///
/// Locking: its server's lock is held by whoever calls it.
final class Board {
  private let target: Target
  private let stack: Stack
  private let described: [String: Setting]
  private let panes: JSON
  private let title: String
  private let language: String
  private var known: [String: SettingState] = [:]
  /// The domain's own values, as far as they are known.
  private var knownOwn: [String: PropertyListValue] = [:]
  /// The same when all of them were known last, and the pages' changes since; nil if they never
  /// were. What differs from these was changed by others.
  private var wholeOwn: [String: PropertyListValue]?
  private var log = ChangeLog()

  init(_ target: Target, _ surroundings: ProcessSurroundings) {
    self.target = target
    // The server's own arguments are no part of what it shows.
    let process = DomainProcess(
      surroundings, VolatileDomains(arguments: [:], languages: MemoryStore()))
    process.volatile.register(target.bundle?.defaultValues ?? [:])
    stack = process.stack(of: target.identifier)
    let chosen = stack.value(forKey: "AppleLanguages")?.stringArrayValue
    let languages = chosen ?? PreferredLanguages.languages(surroundings.environment)
    let translator = target.bundle?.texts.translator(into: languages)
    let description = target.bundle.flatMap { bundle in
      translator.map { Description(bundle, $0) }
    }
    language = translator?.language.map { $0 == "Base" ? "en" : $0 } ?? "en"
    panes = description?.panes ?? .null
    title = description?.title ?? target.identifier.name
    described = Dictionary(
      uniqueKeysWithValues: (target.bundle?.settings ?? []).map { ($0.key, $0) })
    let look = look()
    (known, knownOwn) = (look.states, look.own)
    wholeOwn = look.isWhole ? look.own : nil
  }

  /// Has `body` called, on any thread, when something may have changed.
  /// - Returns: an object that keeps the watch going.
  func watch(_ body: @escaping @Sendable () -> Void) -> AnyObject { stack.watch(body) }

  // -- What there is

  var state: JSON {
    .object([
      "title": .text(title), "domain": .text(target.identifier.name),
      "language": .text(language), "file": JSON(stack.own.path),
      "bundle": JSON(target.bundlePath),
      "problems": .list((target.problems + issues.map(\.description)).map { .text($0) }),
      "panes": target.bundle == nil ? table : panes,
      "settings": .object(known.mapValues(\.json)),
      "changes": .list(log.entries.reversed().map(\.json)),
    ])
  }

  /// The one pane of a domain that nothing describes.
  private var table: JSON {
    let rows = KeyOrder.ascending(Array(known.keys)).map { key -> JSON in
      .object(["kind": .text("value"), "title": .text(key), "key": .text(key)])
    }
    let group = JSON.object(["title": .null, "footer": .null, "rows": .list(rows)])
    return .list([
      .object([
        "id": .text(SettingsBundle.rootName), "title": .text(title), "parent": .null,
        "groups": .list([group]),
      ])
    ])
  }

  private func look() -> (
    states: [String: SettingState], own: [String: PropertyListValue], isWhole: Bool
  ) {
    var (own, isWhole) = ownValues()
    if target.bundle != nil { own = own.filter { described[$0.key] != nil } }
    let keys = target.bundle == nil ? Set(own.keys).union(forcedKeys) : Set(described.keys)
    var provenances: [String: Provenance] = [:]
    let states = keys.map { ($0, SettingState(of: $0, in: stack, &provenances)) }
    return (Dictionary(uniqueKeysWithValues: states), own, isWhole)
  }

  /// The domain's own values, and whether these are all of them.
  private func ownValues() -> (values: [String: PropertyListValue], isWhole: Bool) {
    if let whole = wholeSnapshot() { return (whole.values, true) }
    let known = stack.own.snapshot()
    // What could not be read a moment ago may be among them.
    if let whole = wholeSnapshot() { return (whole.values, true) }
    return (known.values, false)
  }

  private func wholeSnapshot() -> Snapshot? {
    do throws(StorageError) {
      return try stack.own.wholeSnapshot()
    } catch {
      return nil  // the page shows why, as an issue of the domain
    }
  }

  /// What a person should know of the domain's files.
  private var issues: [StorageIssue] {
    if case .file(let store) = stack.own { store.issues } else { [] }
  }

  /// What is forced in this domain: all that is forced in the global one would be too much to show.
  private var forcedKeys: [String] {
    let sources = stack.sources().filter {
      $0.place.isManaged && $0.identifier == stack.identifier
    }
    return sources.flatMap { source in
      source.layer.map { Array($0.snapshot().values.keys) } ?? []
    }
  }

  // -- What has changed

  /// What the pages have to learn.
  struct Update {
    let json: JSON
    /// The first change that the page itself has made; nil if nothing changed.
    let change: ChangeLog.Entry?
  }

  /// Looks what has changed since the last look.
  /// - Parameter page: the page that has just made these changes.
  func update(
    after changes: [Change] = [], by page: String? = nil, continuing number: Int? = nil,
    alsoTelling others: [ChangeLog.Entry] = []
  ) -> Update? {
    let (states, own, isWhole) = look()
    let time = Moment.now()
    let mine = changes.compactMap { change -> ChangeLog.KeyChange? in
      let old = knownOwn[change.key]
      return old == change.value
        ? nil : ChangeLog.KeyChange(key: change.key, old: old, new: change.value)
    }
    for change in mine { wholeOwn?[change.key] = change.new }
    let theirs = isWhole ? othersChanges(to: own) : []
    let carriedOn =
      mine.count == 1
      ? log.carryOn(number, with: mine[0], by: page, at: time) : nil
    let entry = carriedOn ?? (mine.isEmpty ? nil : log.add(mine, by: page, at: time))
    let other = theirs.isEmpty ? nil : log.add(theirs, by: nil, at: time)
    let moved = Set(states.keys).union(known.keys).filter { states[$0] != known[$0] }
    (known, knownOwn) = (states, own)
    if isWhole { wholeOwn = own }
    let entries = [other, entry].compactMap(\.self) + others
    if moved.isEmpty, entries.isEmpty { return nil }
    let settings = moved.map { ($0, states[$0]?.json ?? .null) }
    return Update(
      json: .object([
        "settings": .object(Dictionary(uniqueKeysWithValues: settings)),
        "changes": .list(entries.map(\.json)),
      ]), change: entry)
  }

  /// What others have changed. Values that could not be read before are no change.
  private func othersChanges(to own: [String: PropertyListValue]) -> [ChangeLog.KeyChange] {
    guard let old = wholeOwn else { return [] }
    return KeyOrder.ascending(Array(Set(own.keys).union(old.keys))).filter { own[$0] != old[$0] }
      .map { ChangeLog.KeyChange(key: $0, old: old[$0], new: own[$0]) }
  }

  // -- Changing

  /// Why a change was not made.
  struct Refusal: Error {
    let status: Int
    let text: String
    /// What has changed all the same.
    let updates: [Update]

    init(_ status: Int, _ text: String, _ updates: [Update] = []) {
      self.status = status
      self.text = text
      self.updates = updates
    }
  }

  func set(
    _ key: String, to value: PropertyListValue, by page: String, continuing number: Int? = nil
  ) throws(Refusal) -> [Update] {
    if let setting = try setting(key) {
      do throws(Setting.Refusal) {
        try setting.check(value)
      } catch {
        throw Refusal(422, error.text)
      }
    }
    return try change(by: page, continuing: number) { () throws(Refusal) in
      try checkFree([key])
      return [Change(key: key, value: value)]
    }
  }

  /// Removes what is set; of all settings that are not forced, where no keys are given.
  func reset(_ keys: [String]?, by page: String) throws(Refusal) -> [Update] {
    try change(by: page) { () throws(Refusal) in
      let chosen = keys ?? known.keys.filter { isFree($0) }
      if keys != nil { try checkFree(chosen) }
      return chosen.filter { knownOwn[$0] != nil }.map { Change(key: $0, value: nil) }
    }
  }

  /// Puts back what a change has replaced, if that is still as the change has left it.
  func undo(_ number: Int, by page: String) throws(Refusal) -> [Update] {
    guard let entry = log.entry(number) else {
      throw Refusal(404, "this change is too old to be undone")
    }
    if entry.isUndone { throw Refusal(409, "this change is undone") }
    return try change(by: page, undoing: number) { () throws(Refusal) in
      try checkFree(entry.keys.map(\.key))
      guard entry.keys.allSatisfy({ knownOwn[$0.key] == $0.new }), log.isLast(entry) else {
        throw Refusal(409, "the setting was changed since; set it to the value that you want")
      }
      return entry.keys.map { Change(key: $0.key, value: $0.old) }
    }
  }

  /// Makes the changes that `decide` returns, if nobody changes the same keys meanwhile; else asks
  /// it again. So the log has what each change has replaced.
  private func change(
    by page: String, continuing last: Int? = nil, undoing number: Int? = nil,
    _ decide: () throws(Refusal) -> [Change]
  ) throws(Refusal) -> [Update] {
    var updates: [Update] = []
    for _ in 0..<Self.triesMax {
      updates += [update()].compactMap(\.self)
      let changes = try decide()
      if changes.isEmpty { return updates }
      let expected = changes.map { Change(key: $0.key, value: knownOwn[$0.key]) }
      guard try store(changes, ifStill: expected) else { continue }
      let undone = number.flatMap { log.markUndone($0) }.map { [$0] } ?? []
      let mine = update(after: changes, by: page, continuing: last, alsoTelling: undone)
      if let fault = fault { throw Refusal(507, fault, updates + [mine].compactMap(\.self)) }
      return updates + [mine].compactMap(\.self)
    }
    throw Refusal(409, "other programs keep changing it; try again")
  }

  private static let triesMax = 100

  /// Why a change that was just made is in the memory of this process only; nil if it is stored.
  private var fault: String? {
    guard case .file = stack.own else {
      return "it is kept only until this page's server ends: there is no home directory"
    }
    return issues.last { $0.kind == .notStored }.map {
      "it is kept only until this page's server ends, if it can't be stored before: \($0.text)"
    }
  }

  /// What the bundle says of a key; nil if there is no bundle.
  private func setting(_ key: String) throws(Refusal) -> Setting? {
    if target.bundle == nil { return nil }
    if let setting = described[key] { return setting }
    throw Refusal(404, "there is no setting \(key.debugDescription)")
  }

  private func isFree(_ key: String) -> Bool {
    known[key]?.forcingFile == nil && described[key]?.isReadOnly != true
  }

  private func checkFree(_ keys: [String]) throws(Refusal) {
    for key in keys {
      if try setting(key)?.isReadOnly == true {
        throw Refusal(422, "\(key.debugDescription) is only shown")
      }
      if stack.isForced(key) {
        throw Refusal(409, "an administrator has set \(key.debugDescription); it can't be changed")
      }
    }
  }

  private func store(_ changes: [Change], ifStill expected: [Change]) throws(Refusal) -> Bool {
    do throws(StorageError) {
      return try stack.own.apply(ChangeSet(changes), ifStill: expected)
    } catch {
      throw Refusal(422, error.description)
    }
  }
}
