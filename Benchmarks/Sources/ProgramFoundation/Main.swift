import Foundation

/// The same with the class of Foundation.
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
