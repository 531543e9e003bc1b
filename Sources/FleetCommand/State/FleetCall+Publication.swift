import DefaultsCommand
import FleetModel
import RevisionedStore

/// Reads what the edits of policies are based on.
extension FleetCall {
  /// At the present revision.
  ///
  /// - Parameter names: of the policies that are to be edited.
  func publication(editing names: [PolicyName]) async throws(Failure) -> Publication {
    try await withNumbers(Publication(try await read([FleetKey.allPolicies])), editing: names)
  }

  /// Adds the last numbers of those policies that are not in the store: if one was deleted, its
  /// history has it, and hosts refuse a version whose number is not higher.
  func withNumbers(
    _ publication: Publication, editing names: [PolicyName]
  ) async throws(Failure) -> Publication {
    var publication = publication
    let missing = names.filter(publication.lacks)
    for start in stride(from: 0, to: missing.count, by: Self.rangesMax) {
      let part = Array(missing[start..<min(start + Self.rangesMax, missing.count)])
      publication.addNumbers(of: part, from: try await read(part.map(FleetKey.history(of:))))
    }
    return publication
  }

  /// A request has at most 128 operations.
  private static let rangesMax = 100
}
