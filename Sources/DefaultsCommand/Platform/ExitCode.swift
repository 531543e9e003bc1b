/// The exit code of the command.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// An error or, with `diff` and `check`, a finding.
  case failure = 1
  /// With `apply --detailed-exitcode`: something was changed, or would be.
  case changed = 2
  /// The arguments are invalid; the syntax of the verb is printed on the standard error.
  case usage = 255
}
