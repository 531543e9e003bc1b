import Foundation

/// Lets thousands of agents follow one real etcd, and prints what that takes (M-11).
@main struct FleetScale {
  static func main() async {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      try raiseFileLimit(for: options.agents)
      try await Session(options).run()
    } catch {
      print(error)
      exit(1)
    }
  }

  /// For the connections of this process, and for the server, which has as many.
  private static func raiseFileLimit(for agents: Int) throws {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(files, &limit)
    limit.rlim_cur = limit.rlim_max
    guard setrlimit(files, &limit) == 0, limit.rlim_cur >= agents + 200 else {
      throw Mistake("no more than \(limit.rlim_max) files may be open; see ulimit -Hn")
    }
  }
}
