import Foundation

/// How often a test does what it does: as often as the environment says, for long runs by hand.
/// - Parameter variable: one of those that CONTRIBUTING names, such as `STRATA_KILLS`.
package func repetitions(_ variable: String, else count: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
}
