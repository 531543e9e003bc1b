import Testing

private func unlinkAll(_ path: String) -> Bool {
  do {
    try FileManager.default.removeItem(atPath: path)
    return true
  } catch {
    return false
  }
}

/// A target that was adopted by one added file.
@Suite struct AdoptionTests {
  // W-2
  @Test func `one added file makes our class that of a whole target`() throws {
    #expect(nameOfModule() == "StrataDefaults.UserDefaults")
    let directory = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
    defer { _ = unlinkAll(directory) }
    let defaults = try #require(UserDefaults(suiteName: directory + "/Program.plist"))
    Preferences.register(in: defaults)
    let preferences = Preferences(defaults: defaults)
    #expect(preferences.showsLineNumbers)
    preferences.showsLineNumbers = false
    #expect(!preferences.showsLineNumbers)
    #expect(defaults.integer(forKey: "TabWidth") == 4)
  }
}
