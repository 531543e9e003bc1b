import SettingsModel
import StrataPropertyList
import StrataStorage

/// Sets a described setting by a word, whose type the Settings bundle knows.
extension Verb {
  static let set = Verb(
    "set", isChange: true,
    forms: [
      Form(
        .domain, .describedKey, Operand(.choice, "<word>"),
        summary: "sets a setting that a Settings bundle describes")
    ],
    notes: [
      "The bundle knows the type, so that no flag is needed: on or off for a switch, a number, or "
        + "the title or the value of a choice. What the setting does not take is an error. "
        + "To store any value without a check, use write."
    ],
    run: SetSetting.run)
}

private enum SetSetting {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let described = try call.session.neededDescription(of: try call.domain())
    let setting = try described.setting(call.words[0])
    let value: PropertyListValue
    do throws(Setting.Refusal) {
      value = try setting.value(of: call.words[1], described.translator)
      try setting.check(value)
    } catch {
      throw Failure("\(ShownName.text(of: setting.key)): \(error.text)\nLeaving it unchanged.")
    }
    try call.session.apply(
      ChangeSet([Change(key: setting.key, value: value)]), to: described.domain)
    return .success
  }
}
