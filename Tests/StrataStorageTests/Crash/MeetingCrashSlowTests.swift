import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Three processes, each of which is stopped at random moments while another one works; then all
/// die, or the power goes, at any moment, and what comes after that does so once more.
/// `STRATA_MEETINGS` says how many of them there are, `STRATA_FIRST_MEETING` the first one's seed.
@Suite struct MeetingCrashSlowTests {
  private static let first = repetitions("STRATA_FIRST_MEETING", else: 0)
  private static let count = repetitions("STRATA_MEETINGS", else: 100)

  // S-3, S-4, S-6, S-8, S-17, S-18, S-20
  @Test(arguments: FaultMachine.Kind.allCases, Meeting.Trouble.allCases)
  func `what returned survives whatever the processes were doing when they met`(
    kind: FaultMachine.Kind, trouble: Meeting.Trouble
  ) throws {
    for seed in Self.first..<Self.first + Self.count {
      let meeting = Meeting(seed: UInt64(seed), kind, trouble)
      try meeting.run(steps: 25)
      if let complaint = meeting.complaint {
        Issue.record("seed \(seed): \(complaint)")
        return
      }
    }
  }
}
