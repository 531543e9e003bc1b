import Foundation
import Testing

/// What a program declares on `UserDefaults` means its own declaration.
struct ClientNamesTests {
  private var defaults: UserDefaults {
    get throws { try #require(UserDefaults(suiteName: "com.example.client-names")) }
  }

  // W-19
  @Test func `a nested type that a program declares itself is the one that is meant`() throws {
    let settings = ClientSettings()
    #expect(settings.key.isClients && settings.key == UserDefaults.Key(rawValue: "launches"))
    #expect(UserDefaults.Keys.theme.rawValue == "theme" && settings.keys.count == 2)
    let nested: [Any.Type] = [
      UserDefaults.Key.self, UserDefaults.Keys.self, UserDefaults.Snapshot.self,
      UserDefaults.Transaction.self, UserDefaults.Migration.self, UserDefaults.Mismatch.self,
      UserDefaults.Origin.self, UserDefaults.Values<Int>.self, UserDefaults.KeyChange.self,
      UserDefaults.RecordedChange.self, UserDefaults.DidChangeMessage.self,
      UserDefaults.SizeLimitExceededMessage.self, UserDefaults.NoSuchMember.self,
    ]
    for type in nested {
      #expect(String(reflecting: type).contains("AdoptionTests"), "\(type)")
    }
    #expect(UserDefaults.KeyGroup.self == [UserDefaults.Key].self)
    #expect(UserDefaults.KeyObservation.self == Int.self)
  }

  // W-19
  @Test func `a member that a program declares itself is the one that is called`() throws {
    let defaults = try defaults
    let snapshot = defaults.snapshot()
    #expect(snapshot == UserDefaults.Snapshot(values: ["client"]))
    let texts = [
      defaults.reset(), defaults.resetAll(), defaults.isSet(.launches), defaults.theme,
      defaults.isDefault(.launches), defaults.store(1, forKey: "a"), UserDefaults.inMemory(),
      UserDefaults.storageIssues, UserDefaults.sizeLimit, UserDefaults.hardSizeLimit,
      UserDefaults.setLogHandler(nil), defaults.register(contentsOf: URL(filePath: "/")),
    ]
    #expect(texts.allSatisfy { $0 == "client" })
    let prefixed = defaults.reset(prefix: "a")
    #expect(prefixed == "client a")
    let issues = UserDefaults.applicationIdentifier
    #expect(issues == ["client"] && UserDefaults.migrationsKey == "client")
    #expect(UserDefaults.environmentDomain + UserDefaults.environmentPrefix == 3)
    let updated = defaults.transaction { $0.changes[.launches] = 1 }
    #expect(updated == 1 && defaults.migrate([.first]) == 1 && defaults.register(.theme) == 1)
    let observed = defaults.observe("a") { _ in }
    #expect(observed == "a" && defaults.values(forKey: "b").element == "b")
    #expect(defaults.recordChanges {}.count == 1)
    #expect(defaults.origin(of: .launches) == .cloud && defaults.origin(ofKey: "a") == .device)
    #expect(defaults.onMismatch(nil) == .none)
  }

  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/StrataDefaults")

  /// The lines of the extensions of a type, each with the line before it.
  private static func lines(ofExtensionsOf type: String) throws -> [(before: String, line: String)]
  {
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    return try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.flatMap {
      let text = try String(contentsOf: sources.appending(path: $0), encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      var isInside = false
      return zip([""] + lines, lines).filter { _, line in
        if line == "}" { isInside = false }
        if line == "extension \(type) {" { isInside = true }
        return isInside
      }
    }
  }

  /// The name that a line declares with one of these words, such as `struct`.
  private static func name(in line: String, declaredBy words: String) -> String? {
    let declaration = try? Regex("^  public (?:static |final )*(?:\(words)) ([A-Za-z]+)")
    guard let declaration, let match = line.firstMatch(of: declaration) else { return nil }
    return match.output[1].substring.map(String.init)
  }

  // W-19
  @Test func `no name of Strata's is missing in what clients declare here`() throws {
    let client = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "ClientNames.swift"), encoding: .utf8)
    let types = "struct|enum|class|typealias"
    for (_, line) in try Self.lines(ofExtensionsOf: "UserDefaultsTypes") {
      guard let name = Self.name(in: line, declaredBy: types) else { continue }
      #expect(client.contains(" \(name)"), "\(name)")
    }
    let ofApple: Set = [
      "addObserver", "removeObserver", "argumentDomain", "globalDomain", "registrationDomain",
      "languageDomain", "didChangeNotification", "sizeLimitExceededNotification",
      "completedInitialCloudSyncNotification", "didChangeCloudAccountsNotification",
      "noCloudAccountNotification",
    ]
    for (before, line) in try Self.lines(ofExtensionsOf: "UserDefaults") {
      #expect(Self.name(in: line, declaredBy: types) == nil, "belongs to UserDefaultsTypes")
      guard let name = Self.name(in: line, declaredBy: "func|var|let") else { continue }
      if ofApple.contains(name) { continue }
      #expect(before == "  @_disfavoredOverload", "\(name)")
      #expect(client.contains(" \(name)"), "\(name)")
    }
  }
}
