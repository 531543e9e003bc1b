/// The settings of a reader of books, on every platform.
public struct ReaderSettings {
  private let defaults: UserDefaults

  public init(_ defaults: UserDefaults = .standard) {
    self.defaults = defaults
    defaults.register(defaults: ["FontSize": 12, "OpenBooks": [String]()])
  }

  public var fontSize: Int {
    get { defaults.integer(forKey: "FontSize") }
    nonmutating set { defaults.set(newValue, forKey: "FontSize") }
  }

  public var openBooks: [String] {
    get { defaults.stringArray(forKey: "OpenBooks") ?? [] }
    nonmutating set { defaults.set(newValue, forKey: "OpenBooks") }
  }
}
