/// Whether the kernel is asked to report changes.
///
/// Setting up a queue costs a process a fifth of a millisecond, and taking it down at its end costs
/// the kernel up to 14 ms. A process that reads a few settings and ends is better off without one.
package enum FeedMode: Sendable {
  case kernelEvents
  /// Nothing is reported yet: stores look at their files every 40 ms and before each set, until
  /// they have done so often enough.
  case later
  /// Nothing is reported until the process ends.
  case never
}
