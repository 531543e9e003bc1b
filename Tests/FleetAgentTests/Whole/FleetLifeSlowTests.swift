import StrataTesting
import Testing

/// Fleets that live at random, seen as a whole: what administrators say, hosts have in the end.
struct FleetLifeSlowTests {
  // M-3 M-5 M-7 M-8 M-9
  @Test(arguments: 0..<4)
  func `each host has what a slow oracle says, and the status shows who has not`(
    part: Int
  ) async throws {
    for _ in 0..<repetitions("STRATA_FLEET_LIVES", else: 240) / 4 {
      try await FleetLife(seed: .random(in: 0 ... .max)).run(steps: 60)
    }
  }
}
