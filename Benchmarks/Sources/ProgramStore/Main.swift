import StrataPropertyList
import StrataStorage

/// The same with one store, and without Foundation.
@main
enum Main {
  static func main() throws {
    let words = CommandLine.arguments
    let store = Store.open(StorePaths(identifier: words[2], in: words[4]))
    var number: Int64 = 0
    if words[1] != "set" { number = store.integer(forKey: words[3]) ?? 0 }
    if words[1] != "read" { try store.set(.integer(number + 1), forKey: words[3]) }
  }
}
