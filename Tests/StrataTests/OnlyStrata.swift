import Strata
import Testing

/// What a file sees that imports `Strata`, alone or beside others.
@Suite struct StrataTests {
  // W-1
  @Test func `a file that imports only Strata has our class, and Foundation`() {
    #expect(ObjectIdentifier(UserDefaults.self) == ours)
    #expect(URL(fileURLWithPath: "/tmp").path == "/tmp")
  }

  // W-1
  @Test func `a file that imports Foundation too has our class`() {
    #expect(classBesideFoundation() == ours)
    #expect(classBesideXCTest() == ours)
    #expect(classOfFoundation() != ours)
  }

  // W-1
  @Test func `what is written for the class as a whole is written for ours`() {
    #expect(UserDefaults.markOfExtension == "ours")
  }

  // W-3
  @Test func `names that interface libraries declare are not taken`() {
    struct AppStorage { let isOwn = true }
    #expect(AppStorage().isOwn)
    #expect(isNameFree)
  }

  // W-4
  @Test func `the class can be subclassed and is an object of Foundation's kind`() throws {
    final class Settings: UserDefaults, @unchecked Sendable {
      override func object(forKey defaultName: String) -> Any? { defaultName + "!" }
    }
    let settings = try #require(Settings(suiteName: nil))
    #expect(settings.string(forKey: "a") == "a!")
    let object: NSObject = settings
    #expect(object.isEqual(settings))
  }

  // W-19
  @Test func `the documented names mean Strata's where a program has none of its own`() {
    let names = OwnNames(.inMemory())
    #expect(names.changes == [.set("Theme", "dark")] && names.origin?.place == names.place)
    #expect(names.snapshot.theme == .system && !names.key.isDarkByDefault)
    #expect(names.keys.map(\.name) == ["Theme", "Nickname"] && names.group.keys.count == 1)
  }

  // W-20
  @Test func `Strata exports Observation`() {
    let names = OwnNames(.inMemory())
    withObservationTracking {
      _ = names.model.isShown
    } onChange: {
    }
    names.model.isShown = true
    #expect(names.model.isShown)
  }
}
