/// Decides when a host reports although nothing has changed.
struct ReportInterval {
  private var next = -Double.infinity

  static let seconds = 900.0

  /// A clock that was ahead at the last report, and was set right since, does not silence the host.
  func isDue(at now: Double) -> Bool { now > next || next > now + Self.seconds }

  mutating func didReport(at now: Double) { next = now + Self.seconds }
}
