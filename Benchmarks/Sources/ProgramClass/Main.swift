import Glibc
import StrataDefaults

/// A program that reads a setting, sets it, or does both, and ends: most commands are like that.
@main
enum Main {
  static func main() {
    let (task, suite, key) = (
      CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3]
    )
    // Another one each time: who sets what is there has nothing to store. (Asked for by all tasks,
    // so that it is no call of one.)
    var number = Int(getpid())
    if task == "none" { return }
    guard let defaults = UserDefaults(suiteName: suite) else { return }
    if task != "set" { number = defaults.integer(forKey: key) }
    if task != "read" { defaults.set(number + 1, forKey: key) }
  }
}
