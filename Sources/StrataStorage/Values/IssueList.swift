/// What a person should know about a domain, newest last. Pure.
struct IssueList: Sendable {
  private(set) var all: [StorageIssue] = []

  private static let countMax = 32

  var last: StorageIssue? { all.last }

  /// - Returns: whether the issue is new.
  mutating func add(_ issue: StorageIssue) -> Bool {
    guard !all.contains(issue) else { return false }
    if all.count >= Self.countMax { all.removeFirst() }
    all.append(issue)
    return true
  }

  /// Removes issues that are over: that values could not be stored, or that a file could not be
  /// read. What was lost or kept aside stays on the list.
  ///
  /// - Parameter kinds: evaluated only if there is an issue, as in few programs: the type of this
  ///   array is one that the runtime has to make.
  mutating func settle(
    _ kinds: @autoclosure () -> [StorageIssue.Kind], about path: String? = nil
  ) {
    if all.isEmpty { return }
    let kinds = kinds()
    all.removeAll { issue in
      kinds.contains(issue.kind) && issue.keptAt == nil && (path == nil || path == issue.path)
    }
  }
}
