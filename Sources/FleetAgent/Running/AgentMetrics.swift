import FleetModel
import StrataDomains
import StrataPropertyList

/// The figures of an agent in the text form of Prometheus, for a file that a collector reads.
enum AgentMetrics {
  static func text(of agent: Agent, isConnected: Bool) -> String {
    let status = agent.status
    let time = status.time.secondsSinceReference + secondsFrom1970To2001
    var lines: [String] = []
    func add(_ name: String, _ kind: String, _ help: String, _ value: String) {
      lines.append("# HELP strata_fleet_\(name) \(help)")
      lines.append("# TYPE strata_fleet_\(name) \(kind)")
      lines.append("strata_fleet_\(name) \(value)")
    }
    add("connected", "gauge", "Whether the store can be reached.", isConnected ? "1" : "0")
    add("revision", "gauge", "The store's revision that is applied.", String(status.revision))
    add("policies", "gauge", "Policies in force.", String(status.versions.count))
    add("problems", "gauge", "Problems at this moment.", String(agent.problems.count))
    add("file_changes_total", "counter", "Files written or removed.", String(agent.fileChanges))
    add("time_seconds", "gauge", "When these figures were written.", String(time))
    return lines.joined(separator: "\n") + "\n"
  }

  private static let secondsFrom1970To2001 = 978_307_200.0
}
