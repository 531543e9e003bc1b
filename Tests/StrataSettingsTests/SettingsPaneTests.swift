import Foundation
import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataSettings
import Testing

import protocol StrataDefaults.StorableValue
import class StrataDefaults.UserDefaults

enum PaneTheme: String, StorableValue, CaseIterable { case system, lightMode, dark }

extension UserDefaults.Keys {
  static let fontSize = Key(
    "FontSize", default: 12, in: 6...72, title: "Size", description: "In points.")
  static let opacity = Key("Opacity", default: 0.5, in: 0...1)
  static let ligatures = Key("Ligatures", default: true, title: "Ligatures")
  static let theme = Key("Theme", default: PaneTheme.system, title: "Theme")
  static let tabWidth = Key("TabWidth", default: 4, choices: [2, 4, 8])
  static let name = Key("Name", default: "me", title: "Name")
  static let nickname = Key<String?>("Nickname")
  static let secret = Key("Secret", default: "", isRedacted: true)
  static let port = Key("Port", default: 8080, in: 1024...65535)
  static let version = Key("Version", default: 1)
}

/// Settings that are declared in Swift.
struct SettingsPaneTests {
  private func pane() -> SettingsPane {
    SettingsPane("Editor", suiteName: "group.editor") {
      SettingsGroup("Font", footer: "How text looks.") {
        StrataSettings.Slider(.fontSize)
        Toggle(.ligatures)
      }
      SettingsPane("Advanced!") {
        Picker(.theme)
        RadioGroup(.tabWidth, footer: "In columns.") { "\($0) columns" }
        SettingsPane("Advanced!") { StrataSettings.Slider(.opacity) }
      }
      StrataSettings.TextField(.name)
      StrataSettings.TextField(.nickname)
      StrataSettings.TextField(.secret)
      StrataSettings.TextField(.port)
      Readout(.version)
    }
  }

  // B-12
  @Test func `what is declared is what a bundle describes`() throws {
    let bundle = pane().bundle
    #expect(bundle.group == "group.editor")
    #expect(bundle.panes.map(\.name) == ["Root", "Advanced", "Advanced2"])
    #expect(bundle.panes.map(\.title) == ["Editor", "Advanced!", "Advanced!"])
    let root = try #require(bundle.root)
    #expect(root.specifiers.map(\.item) == Array(0..<9))
    #expect(
      root.specifiers[1]
        == Specifier(
          .slider(Slider(6, 72)), title: "Size", key: "FontSize", defaultValue: .integer(12),
          summary: "In points.", item: 1))
    #expect(root.specifiers[3].kind == .pane("Advanced"))
    let advanced = bundle.panes[1].specifiers
    #expect(advanced[0].choices.map(\.title) == ["System", "Light Mode", "Dark"])
    #expect(advanced[0].choices.map(\.value) == ["system", "lightMode", "dark"])
    #expect(advanced[1].choices.map(\.title) == ["2 columns", "4 columns", "8 columns"])
    #expect(bundle.setting(forKey: "Secret")?.isSecret == true)
    #expect(bundle.setting(forKey: "Nickname")?.specifier.defaultValue == nil)
    let port = try #require(bundle.setting(forKey: "Port"))
    #expect(port.rangeText == "1024…65535")
    #expect(throws: Setting.Refusal.self) { try port.check(.integer(80)) }
    #expect(throws: Never.self) { try port.check(.integer(1024)) }
    #expect(BundleCheck.problems(of: bundle) == [])
  }

  // B-12
  @Test func `a bundle that was written is equal when it is read`() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "pane-\(UUID().uuidString)/Editor.bundle")
    defer {
      #expect(throws: Never.self) {
        try FileManager.default.removeItem(at: directory.deletingLastPathComponent())
      }
    }
    try pane().write(to: directory)
    try pane().write(to: directory)
    let (read, problems) = try BundleReader.read(directory.path)
    #expect(problems == [])
    #expect(read == pane().bundle)
  }

  // B-12
  @Test func `a bundle that can't be written is an error that names the place`() {
    let error = #expect(throws: (any Error).self) {
      try pane().write(to: URL(filePath: "/proc/nowhere/Editor.bundle"))
    }
    #expect(error.map { "\($0)".contains("/proc/nowhere") } == true)
  }

  // B-10, B-12
  @Test func `an installed bundle is where the command looks first, in the home of the files`()
    throws
  {
    let name = "test"
    func place(_ environment: [String: String], isSetUID: Bool = false) throws -> String? {
      let surroundings = ProcessSurroundings(
        environment: environment, userID: 1, user: .known(nil), isSetUID: isSetUID,
        host: HostIdentifier(of: "host"), executableName: name)
      return BundleSearch.ownPlace(
        of: try DomainIdentifier(name, isSetUID: isSetUID), surroundings)
    }
    #expect(try place(["HOME": "/h"]) == "/h/.local/share/defaults/test.bundle")
    #expect(
      try place(["HOME": "/h", "XDG_DATA_HOME": "/d"]) == "/d/defaults/test.bundle")
    #expect(try place([:]) == nil)
  }

  // B-9, B-12
  @Test func `default values are registered`() throws {
    let defaults = UserDefaults.inMemory()
    pane().register(in: defaults)
    #expect(defaults.integer(forKey: "FontSize") == 12)
    #expect(defaults.string(forKey: "Theme") == "system")
    #expect(defaults.object(forKey: "Nickname") == nil)
    #expect(defaults.bool(forKey: "Ligatures"))
  }

  // B-12
  @Test func `conditions and loops choose what is declared`() {
    let isAdvanced = false
    let pane = SettingsPane("P") {
      if isAdvanced { Toggle(.ligatures) }
      if isAdvanced { Toggle(.ligatures) } else { Readout(.version) }
      for _ in 0..<2 { Readout(.name) }
    }
    #expect(pane.bundle.root?.specifiers.compactMap(\.key) == ["Version", "Name", "Name"])
  }

  // B-2, B-9, B-12
  @Test func `a field for a number takes a range that has no end on one side`() throws {
    let pane = SettingsPane("P") {
      StrataSettings.TextField(UserDefaults.Key("Timeout", default: 30.0, in: 0 ... .infinity))
      StrataSettings.TextField(UserDefaults.Key("Gain", default: 0.0, in: -.infinity...10))
      StrataSettings.TextField(UserDefaults.Key("Any", default: 0.0, in: -.infinity ... .infinity))
    }
    #expect(BundleCheck.problems(of: pane.bundle) == [])
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "pane-\(UUID().uuidString)/P.bundle")
    defer {
      #expect(throws: Never.self) {
        try FileManager.default.removeItem(at: directory.deletingLastPathComponent())
      }
    }
    try pane.write(to: directory)
    let (read, problems) = try BundleReader.read(directory.path)
    #expect(problems == [])
    for bundle in [pane.bundle, read] {
      #expect(bundle.settings.map(\.rangeText) == ["0…", "…10", nil])
      let timeout = try #require(bundle.setting(forKey: "Timeout"))
      #expect(throws: Setting.Refusal.self) { try timeout.check(.real(-1)) }
      #expect(throws: Never.self) { try timeout.check(.real(1e9)) }
    }
  }

  // B-12
  @Test func `a picker or radio group of a key without choices is a mistake that is named`() async {
    let picker = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = StrataSettings.Picker(UserDefaults.Key("Plain", default: 1))
    }
    let group = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = StrataSettings.RadioGroup(UserDefaults.Key("Plain", default: 1))
    }
    for result in [picker, group] {
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
      #expect(text?.contains("\"Plain\" needs choices") == true)
    }
  }

  // B-12
  @Test func `a slider of a key without a finite range is a mistake that is named`() async {
    let plain = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = StrataSettings.Slider(UserDefaults.Key("Plain", default: 1))
    }
    let endless = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = StrataSettings.Slider(UserDefaults.Key("Endless", default: 1.0, in: 0 ... .infinity))
    }
    for (name, result) in [("Plain", plain), ("Endless", endless)] {
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
      #expect(text?.contains("\"\(name)\" needs a finite range") == true)
    }
  }
}
