import DefaultsCommand
import FleetModel
import SettingsBundles
import StrataDomains

/// Checks policies against the Settings bundles of their domains, where these are installed.
struct DescriptionCheck {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func problems(of changes: [Publication.Change]) throws(Failure) -> [FleetProblem] {
    var problems: [FleetProblem] = []
    for change in changes {
      guard let version = change.newVersion,
        let described = try session.description(
          of: try session.domain(stored: change.name.domain.name))
      else { continue }
      problems += DescribedPolicies.problems(
        of: version.content, named: change.name, in: described.bundle)
    }
    return problems
  }
}
