import Glibc
import StrataPropertyList
import StrataStorage

/// The same with one store, and without Foundation.
@main
enum Main {
  static func main() throws {
    let (task, directory, key) = (
      CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3]
    )
    // Another one each time: who sets what is there has nothing to store. (Asked for by all tasks,
    // so that it is no call of one.)
    var number = Int64(getpid())
    if task == "none" { return }
    let store = Store.open(StorePaths(identifier: "bench", in: directory))
    if task != "set" { number = store.integer(forKey: key) ?? 0 }
    if task != "read" { try store.set(.integer(number + 1), forKey: key) }
  }
}
