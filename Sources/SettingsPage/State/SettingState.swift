import StrataDomains
import StrataPropertyList
import StrataStorage

/// What counts for one key at one moment.
struct SettingState: Equatable {
  /// The effective value.
  var value: PropertyListValue?
  /// What is set in the domain itself.
  var own: PropertyListValue?
  /// What becomes effective if that is removed.
  var base: PropertyListValue?
  var source: String?
  /// The file that forces the value.
  var forcingFile: String?
  /// Who forces it and why, as far as that is known.
  var forcingReason: String?

  /// Whether the user has chosen something else than the default.
  var isChanged: Bool { own != nil && own != base }

  /// - Parameter provenances: those of administrator's files that this look has read.
  init(of key: String, in stack: Stack, _ provenances: inout [String: Provenance]) {
    let found = stack.find(key)
    value = found?.value
    own = stack.own.value(forKey: key)
    base = stack.valueBelowOwn(key)
    source = found?.place.title
    if let found, found.place.isManaged, let path = found.layer.path {
      forcingFile = path
      let provenance = provenances[path] ?? Provenance.read(besidePlist: path) ?? Provenance()
      provenances[path] = provenance
      forcingReason = provenance.entry(forKey: key, value: found.value)?.summary
    }
  }

  var json: JSON {
    .object([
      "value": JSON(value), "own": JSON(own), "base": JSON(base), "isChanged": .flag(isChanged),
      "source": JSON(source), "forced": forced,
    ])
  }

  private var forced: JSON {
    guard let forcingFile else { return .null }
    return .object([
      "file": .text(forcingFile),
      "reason": .text(
        forcingReason.map { "An administrator has set this value (\($0))." }
          ?? "An administrator has set this value."),
    ])
  }
}
