import DefaultsCommand
import FleetModel
import RevisionedStore

/// Reads what the edits of policies are based on.
extension FleetCall {
  /// Adds the last numbers of policies whose histories may have a higher one than they have: of
  /// those that are not in the store, since they were deleted, or of all that are named. A number
  /// is never used twice, and hosts refuse a version whose number is not higher.
  func withNumbers(
    _ publication: Publication, of names: [PolicyName], all: Bool = false
  ) async throws(Failure) -> Publication {
    var publication = publication
    let names = all ? names : names.filter(publication.lacks)
    for start in stride(from: 0, to: names.count, by: Self.rangesMax) {
      let part = Array(names[start..<min(start + Self.rangesMax, names.count)])
      publication.addNumbers(of: part, from: try await read(part.map(FleetKey.history(of:))))
    }
    return publication
  }

  /// A request has at most 128 operations.
  private static let rangesMax = 100
}
