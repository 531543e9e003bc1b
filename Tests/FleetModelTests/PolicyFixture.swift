import FleetModel
import StrataDomains
import StrataPropertyList

/// Short ways to write policies in tests.
enum PolicyFixture {
  static func name(_ layer: String, _ domain: String = "com.example.app") throws -> PolicyName {
    guard let layer = PolicyLayer(layer),
      let name = PolicyName(layer, try DomainIdentifier(domain, isSetUID: true))
    else { throw FleetProblem(layer, "not a layer") }
    return name
  }

  static func policy(
    _ layer: String, domain: String = "com.example.app", priority: Int64 = 0,
    _ entries: [String: PolicyEntry], number: Int64 = 1
  ) throws -> Policy {
    Policy(
      try name(layer, domain),
      stable: version(number, PolicyContent(priority: priority, entries: entries)),
      lastNumber: number)
  }

  static func version(_ number: Int64, _ content: PolicyContent) -> Policy.Version {
    Policy.Version(
      number: number, author: "ann", reason: "a test", published: date(0), content: content)
  }

  static func date(_ seconds: Double) -> PropertyListDate {
    PropertyListDate(secondsSinceReference: seconds)
  }

  static let circumstances = Edit.Circumstances(author: "ann", reason: "a test", time: date(0))
}
