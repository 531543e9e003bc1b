package import FleetModel
package import StrataDomains
import StrataPropertyList
package import StrataStorage

/// A file of the administrator's places, as it should be.
package struct ManagedFile: Equatable, Sendable {
  package let paths: StorePaths
  /// By key; without any, there should be no file.
  package let entries: [String: Provenance.Entry]

  package init(_ paths: StorePaths, _ entries: [String: Provenance.Entry]) {
    self.paths = paths
    self.entries = entries
  }

  /// All files that have values.
  package static func all(
    _ evaluation: Evaluation, users: [String], in places: Places
  ) -> [ManagedFile] {
    files(evaluation.values(.forced), in: places.managedDirectory)
      + files(evaluation.values(.recommended), in: places.recommendedDirectory)
      + users.flatMap { user in
        // What holds for all users is in the file for all users; only what a user's own policy
        // decides is in the user's, which is searched first.
        let own = evaluation.values(.forced, for: user).mapValues { keys in
          keys.filter { $0.value.policy.layer.kind == .user }
        }
        return files(own, in: Path.join(places.managedUsersDirectory, user))
      }
  }

  private static func files(
    _ domains: [String: [String: Evaluation.Effective]], in directory: String
  ) -> [ManagedFile] {
    domains.compactMap { _, keys in
      guard let fileName = keys.values.first?.policy.fileName else { return nil }
      return ManagedFile(
        StorePaths(identifier: fileName, in: directory, for: .everyone),
        keys.mapValues(Provenance.Entry.init))
    }
  }
}

extension Provenance.Entry {
  package init(_ effective: Evaluation.Effective) {
    self.init(
      value: effective.entry.value, policy: effective.policy.text,
      version: effective.version.number, author: effective.version.author,
      reason: effective.entry.reason ?? effective.version.reason,
      published: effective.version.published, until: effective.entry.until,
      overrode: effective.overrode.map { "\($0.policy.text) version \($0.version)" })
  }
}
