/// What is said of the command `defaults`, apart from its verbs.
extension ProgramText {
  static let defaults = ProgramText(
    name: "defaults", title: "Command line interface to a user's defaults.", usesDomains: true,
    common: CommandOption.common,
    manual: Manual(
      purpose: "access the user defaults system", description: description, options: options,
      values: values, exitStatus: exitStatus, environment: environment, files: files,
      examples: examples, related: related))

  private static let description = [
    "defaults reads, writes and deletes the settings of programs that use Strata, the user "
      + "defaults system for Swift on Linux. A setting is a value with a key. Settings are grouped "
      + "into domains: one for each program, and a global one for all. A change is visible to "
      + "running programs at once, and is on the disk when the command returns.",
    "A domain is a name such as com.example.app; -app with the name of an application; "
      + "-globalDomain or -g; or the absolute path of a property list, with or without .plist. "
      + "-currentHost and -host select the settings for one host.",
    "Verbs are not case-sensitive. A verb X that is not built in runs the program defaults-X from "
      + "the directory of this command or from PATH.",
  ]
  private static let options = [
    "Options follow the verb. In write, they precede the value; -- ends them, so that a key may "
      + "begin with two hyphens. --help after a verb prints its help, --version alone the version. "
      + "Besides its own, each verb that works on domains has these options:"
  ]
  private static let values = [
    "A value is a string unless a type flag precedes it. A value without a flag that contains one "
      + "of \"()[]{}<> is parsed as a property list in any format. Quote such values, so that the "
      + "shell does not interpret them. In any other value without a flag, a backslash begins an "
      + "escape: \\n, \\t, \\U2192 for a character by its code, \\\\ for a backslash. -string "
      + "takes a text as it is."
  ]
  private static let exitStatus = [
    "0 for success; 1 for an error, which is reported on the standard error, and if diff finds a "
      + "difference or check finds damage; 2 if apply with --detailed-exitcode changed something; "
      + "255 for a usage error, with the syntax of the verb."
  ]
  private static let environment = [
    ("VISUAL, EDITOR", "the editor that edit starts; vi by default."),
    ("NO_COLOR", "if set and not empty, disables colored output."),
    ("XDG_CONFIG_HOME", "contains the user's domains, in defaults/; ~/.config by default."),
    ("PATH", "searched for the programs of -app and for defaults-X."),
  ]
  private static let files = [
    ("~/.config/defaults/ID.plist", "a domain of the user."),
    ("~/.config/defaults/ByHost/ID.HOST.plist", "the same domain, for one host."),
    ("~/.config/defaults/.GlobalPreferences.plist", "the user's global domain."),
    ("/etc/defaults/ID.plist", "a domain of all users."),
    ("/etc/defaults/managed/users/USER/ID.plist", "values that are forced for one user."),
    ("/etc/defaults/managed/ID.plist", "values that are forced for all users."),
    ("/etc/defaults/managed/.GlobalPreferences.plist", "the same, in every domain."),
    ("/etc/defaults/recommended/ID.plist", "values that an administrator recommends."),
  ]
  private static let examples = [
    ("defaults read com.example.app", "prints all values of a domain."),
    ("defaults write com.example.app FontSize -int 14", "sets an integer."),
    ("defaults write com.example.app Opened -date 2020-01-31T12:30:00Z", "sets a date."),
    ("defaults write com.example.app Panes -array left right", "sets an array of strings."),
    ("defaults write com.example.app Window '{width = 800; height = 600;}'", "sets a dictionary."),
    (
      "defaults write com.example.app --path Window.width -int 640", "sets a value in a dictionary."
    ),
    ("defaults explain com.example.app FontSize", "shows where the effective value comes from."),
    ("defaults delete com.example.app FontSize", "removes a value."),
    (
      "echo '{\"com.example.app\": {\"FontSize\": 14}}' | defaults apply -",
      "applies settings, and prints what changes."
    ),
    ("defaults export com.example.app - | defaults import com.example.copy -", "copies a domain."),
  ]
  private static let related = ["dconf(1), gsettings(1), plistutil(1)"]
}
