import Testing

/// A target that was adopted by one added file.
@Suite struct AdoptionTests {
  // W-2
  @Test func `one added file makes our class that of a whole target`() {
    #expect(nameOfModule() == "StrataDefaults.UserDefaults")
  }

  // W-2
  @Test func `code as it was written for Foundation runs on our class`() async {
    await #expect(processExitsWith: .success) {
      _ = try moveIn()
      Preferences.register(in: .standard)
      let preferences = Preferences()
      guard preferences.showsLineNumbers else { exit(1) }
      preferences.showsLineNumbers = false
      guard !preferences.showsLineNumbers else { exit(2) }
      guard UserDefaults.standard.integer(forKey: "TabWidth") == 4 else { exit(3) }
      exit(0)
    }
  }
}
