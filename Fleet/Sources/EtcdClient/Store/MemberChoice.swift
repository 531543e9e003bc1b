/// Which member is asked: one that answered last, or else the one whose failure is longest ago.
///
/// One that hangs costs the whole time limit, so it is not asked again as long as another answers.
struct MemberChoice {
  private(set) var current = 0
  /// For each member the number of its last failure, and 0 after it has answered.
  private var failures: [Int]
  private var failureCount = 0

  init(count: Int) { failures = Array(repeating: 0, count: count) }

  mutating func didAnswer(_ member: Int) { failures[member] = 0 }

  mutating func didFail(_ member: Int) {
    failureCount += 1
    failures[member] = failureCount
    guard member == current else { return }
    // In turn, beginning with the next.
    let order = failures.indices.map { (member + 1 + $0) % failures.count }
    current = order.min { failures[$0] < failures[$1] } ?? member
  }
}
