import SettingsBundles
import SettingsModel
import StrataPropertyList
import StrataTesting
import Testing

/// Writing bundles.
struct BundleFilesTests {
  private let fixture: BundleFixture

  init() throws { fixture = try BundleFixture() }

  // B-1, B-12
  @Test(arguments: 0..<40) func `a bundle that was written is equal when it is read`(
    seed: UInt64
  ) throws {
    var source = BundleSource(seed: seed)
    let bundle = source.bundle()
    try fixture.write(bundle)
    let (read, problems) = try fixture.read()
    #expect(problems == [], "seed \(seed)")
    #expect(read == bundle, "seed \(seed)")
  }

  // B-1, B-12
  @Test func `no file is written before those that it leads to`() throws {
    var source = BundleSource(seed: 1)
    let bundle = source.bundle()
    #expect(try bundle.files().last?.path == "Root.plist")
  }
}

/// Makes descriptions with every kind of item.
private struct BundleSource {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func bundle() -> SettingsBundle {
    let names = ["Root"] + (0..<Int.random(in: 0..<4, using: &generator)).map { "Pane \($0)" }
    let panes = names.indices.map { place in
      var items = (0..<Int.random(in: 0..<8, using: &generator)).map { specifier("\(place).\($0)") }
      if place + 1 < names.count {
        items.append(Specifier(.pane(names[place + 1]), title: "Next"))
      }
      for item in items.indices { items[item].item = item }
      return Pane(names[place], title: text(), table: flag() ? "Words" : nil, items)
    }
    let texts = Texts(flag() ? ["de": [panes[0].table: ["a": "b ü <&>", "": ""]]] : [:])
    return SettingsBundle(panes: panes, group: flag() ? "group.app" : nil, texts: texts)
  }

  private mutating func flag() -> Bool { .random(using: &generator) }

  private mutating func text() -> String? {
    [nil, "Text", "ü <script>", ""].randomElement(using: &generator) ?? nil
  }

  private mutating func specifier(_ key: String) -> Specifier {
    let choices = Choices(
      (0..<3).map { Choice(.integer($0), "Title \($0)", shortTitle: nil) }, isSorted: flag())
    let kinds: [Specifier.Kind] = [
      .group(footer: text()), .title(flag() ? choices.all : []), .text(field()),
      .toggle(on: .boolean(true), off: .boolean(false)),
      .toggle(on: .string("on"), off: .integer(0)),
      .slider(Slider(-1.5, 2, leastImage: text())), .menu(choices), .radio(choices, footer: text()),
    ]
    let kind = kinds.randomElement(using: &generator) ?? kinds[0]
    if case .group = kind { return Specifier(kind, title: text()) }
    let value: PropertyListValue? =
      [nil, .boolean(true), .real(1.5), .string("ü"), .array([.integer(1)])]
      .randomElement(using: &generator) ?? nil
    return Specifier(kind, title: text(), key: key, defaultValue: value, summary: text())
  }

  private mutating func field() -> TextField {
    var field = TextField()
    field.isSecure = flag()
    field.keyboard = flag() ? .numbers : .alphabet
    field.capitalization = flag() ? .words : .none
    field.correction = flag() ? .yes : .standard
    field.range = flag() ? -1...2.5 : nil
    return field
  }
}
