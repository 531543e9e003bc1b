import Glibc
import StrataStorage

/// Uses many domains of one directory, with few files that may be open.
struct ManyDomains {
  private let stores: [Store]

  init(in directory: String, count: Int64, files: Int64) {
    var limit = rlimit(rlim_cur: rlim_t(files), rlim_max: rlim_t(files))
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { fail("no limit") }
    stores = (0..<count).map { Store.open(StorePaths(identifier: "many.\($0)", in: directory)) }
  }

  /// Sets a key in each, and reads all back; says how many reads gave something else, and how many
  /// domains have an issue.
  func run() {
    for (number, store) in stores.enumerated() { set(store, "key", Int64(number)) }
    let wrong = stores.enumerated().count { $1.integer(forKey: "key") != Int64($0) }
    let inTrouble = stores.filter { !$0.issues.isEmpty }
    say("\(wrong) \(inTrouble.count) \(inTrouble.first?.issues.first?.description ?? "")")
  }
}
