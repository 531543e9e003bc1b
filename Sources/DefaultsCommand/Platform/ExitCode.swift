/// How the command ends, for the program that started it.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// Something could not be done; with `diff` and `check`, something was found.
  case failure = 1
  /// The arguments make no sense; the help text is on the standard output.
  case usage = 255
}
