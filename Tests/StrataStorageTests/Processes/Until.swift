import Glibc

/// Waits until `condition` holds, looking again every two milliseconds.
/// - Returns: whether it came to hold within `seconds`.
func holds(within seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = monotonicSeconds() + seconds
  while true {
    if try condition() { return true }
    if monotonicSeconds() >= end { return false }
    poll(nil, 0, 2)
  }
}

/// Whether `condition` holds at every look for `seconds`.
func keepsHolding(for seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
  try !holds(within: seconds) { try !condition() }
}

func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

extension [Double] {
  var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
