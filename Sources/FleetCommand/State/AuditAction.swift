/// The names of actions in the audit.
enum AuditAction {
  /// A version is on all hosts from now on.
  static let publish = "publish"
  /// A version is a candidate from now on.
  static let `try` = "try"
  /// More hosts have the candidate.
  static let widen = "widen"
  /// The candidate is taken back.
  static let withdraw = "withdraw"
  /// The record of a host is another one.
  static let enroll = "enroll"
  /// A host was given the rights that its record asks for.
  static let grant = "grant"
}
