// Names that a program may have given long before it was adopted, for each that Strata has, too.
import Foundation

extension UserDefaults {
  /// The most usual one: names of keys.
  enum Keys: String, CaseIterable { case theme, fontSize }

  struct Key: RawRepresentable, Hashable, ExpressibleByStringLiteral {
    let rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }
    init(stringLiteral text: String) { rawValue = text }
    static let launches: Key = "launches"
  }

  typealias KeyGroup = [Key]
  typealias KeyObservation = Int
  struct KeyChange { var key: Key }
  struct Snapshot: Equatable { var values: [String] }
  struct Transaction { var changes: [Key: Int] = [:] }
  enum Migration: Int { case first = 1 }
  enum Mismatch { case none }
  enum Origin: String { case cloud, device }
  struct Values<Element> { var element: Element }
  enum RecordedChange { case removed(Key) }
  struct DidChangeMessage { var text = "changed" }
  struct SizeLimitExceededMessage { var text = "full" }
  enum NoSuchMember { case missing }
}

// With the same parameters as Strata's, where that is possible, and other results.
extension UserDefaults {
  static var applicationIdentifier: [String] { ["client"] }
  static var storageIssues: String { "client" }
  static var sizeLimit: String { "client" }
  static var hardSizeLimit: String { "client" }
  static var environmentDomain: Int { 1 }
  static var environmentPrefix: Int { 2 }
  static var migrationsKey: Key { "client" }

  static func inMemory() -> String { "client" }
  static func setLogHandler(_ handler: (@Sendable (String) -> Void)?) -> String { "client" }

  func snapshot() -> Snapshot { Snapshot(values: ["client"]) }
  func reset() -> String { "client" }
  func reset(prefix: String) -> String { "client " + prefix }
  func resetAll() -> String { "client" }
  func update(_ key: Key, _ body: (inout Int) -> Void) -> Int {
    var number = integer(forKey: key.rawValue)
    body(&number)
    set(number, forKey: key.rawValue)
    return number
  }
  func transaction(_ body: (inout Transaction) -> Void) -> Int {
    var draft = Transaction()
    body(&draft)
    return draft.changes.count
  }
  func migrate(_ steps: [Migration]) -> Int { steps.count }
  func observe(_ key: String, change: @escaping @Sendable (String) -> Void) -> String { key }
  func values(forKey key: String) -> Values<String> { Values(element: key) }
  func recordChanges(_ body: () -> Void) -> [RecordedChange] { [.removed(.launches)] }
  func register(contentsOf url: URL) -> String { "client" }
  func register(_ keys: Keys...) -> Int { keys.count }
  func store(_ value: Any?, forKey key: String) -> String { "client" }
  func isSet(_ key: Key) -> String { "client" }
  func isDefault(_ key: Key) -> String { "client" }
  func origin(of key: Key) -> Origin { .cloud }
  func origin(ofKey name: String) -> Origin { .device }
  func onMismatch(_ handler: (@Sendable (Mismatch) -> Void)?) -> Mismatch { .none }

  /// A property whose name another program may use for a key.
  var theme: String { "client" }
}

/// The types, in type position.
struct ClientSettings {
  var key: UserDefaults.Key = .launches
  var keys: [UserDefaults.Keys] = UserDefaults.Keys.allCases
  var origin: UserDefaults.Origin = .cloud
  var snapshot = UserDefaults.Snapshot(values: [])
  var group: UserDefaults.KeyGroup = [.launches]
  var change = UserDefaults.KeyChange(key: "a")
  var values = UserDefaults.Values(element: 1)
  var observation: UserDefaults.KeyObservation = 3
  var migration: UserDefaults.Migration = .first
  var recorded: UserDefaults.RecordedChange = .removed("a")
  var messages = (UserDefaults.DidChangeMessage(), UserDefaults.SizeLimitExceededMessage())
  var missing: UserDefaults.NoSuchMember = .missing
}

extension UserDefaults.Key {
  var isClients: Bool { true }
}
