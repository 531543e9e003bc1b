/// The exit code of the command.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// An error or, with `diff` and `check`, a finding.
  case failure = 1
  /// With `apply --detailed-exitcode`: something was changed, or would be.
  case changed = 2
  /// The arguments are invalid; help is printed on standard output.
  case usage = 255
}
