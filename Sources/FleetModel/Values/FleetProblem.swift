/// What is wrong with a policy, a record or a file, and where.
package struct FleetProblem: Error, Hashable, Sendable {
  /// A policy, a host or a path.
  package let place: String
  package let text: String

  package init(_ place: String, _ text: String) {
    self.place = place
    self.text = text
  }
}

extension FleetProblem: CustomStringConvertible {
  package var description: String { "\(place): \(text)" }
}
