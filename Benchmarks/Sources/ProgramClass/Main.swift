import StrataDefaults

/// A program with one setting, as most commands are: `read`, `set` or `change` it, and end.
@main
enum Main {
  static func main() {
    let defaults = UserDefaults(suiteName: CommandLine.arguments[2])!
    let key = CommandLine.arguments[3]
    var number = 0
    if CommandLine.arguments[1] != "set" { number = defaults.integer(forKey: key) }
    if CommandLine.arguments[1] != "read" { defaults.set(number + 1, forKey: key) }
  }
}
