import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// One read of a new process, which does not open an idle journal, against all that is there.
@Suite struct OneReadCrashTests {
  private let paths = FoundDomain.paths

  // S-2, S-3, S-8
  @Test(arguments: FoundDomain.Story.allCases, [false, true])
  func `one read finds what a process finds that reads everything, whatever happened`(
    story: FoundDomain.Story, isKnown: Bool
  ) throws {
    var readCount = 0
    for act in Act.allCases {
      let domain = try FoundDomain(after: story, isKnown: isKnown)
      let machine = domain.machine
      var random = SeededGenerator(seed: UInt64(Act.allCases.firstIndex(of: act) ?? 0))
      let check = { [machine] (moment: String) in
        for (name, image) in [
          ("death", machine.afterDeath()), ("restart", machine.afterRestart()),
          ("power cut", machine.afterPowerCut(using: &random)),
        ] {
          readCount += try compare(image, "\(story), \(act), \(moment), \(name)")
        }
      }
      machine.beforeCall = { [machine] number, call in
        let hook = machine.beforeCall
        machine.beforeCall = nil
        defer { machine.beforeCall = hook }
        do { try check("before call \(number), \(call)") } catch { Issue.record(error) }
      }
      try perform(act, domain.user)
      machine.beforeCall = nil
      try check("at the end")
    }
    #expect(readCount > 0 || !story.hasList)
  }

  enum Act: CaseIterable {
    case read, set, setSame, remove, setGroup, replaceAll, flush, setAndFlush
  }

  private func perform(_ act: Act, _ store: Store) throws {
    switch act {
    case .read: _ = store.snapshot()
    case .set: try store.set(.integer(7), forKey: "a")
    case .setSame: try store.set(store.value(forKey: "a"), forKey: "a")
    case .remove: try store.set(nil, forKey: "b")
    case .setGroup:
      try store.apply(ChangeSet(setting: ["a": .integer(8), "d": .string("new")]))
    case .replaceAll:
      try store.apply(ChangeSet(setting: ["d": .boolean(true)], replacesAll: true))
    case .flush: store.flush()
    case .setAndFlush:
      try store.set(.integer(9), forKey: "a")
      store.flush()
      try store.set(.integer(10), forKey: "b")
    }
  }

  /// - Returns: how many reads did without the journal.
  private func compare(_ image: FaultMachine, _ moment: String) throws -> Int {
    var count = 0
    var found: [String: PropertyListValue] = [:]
    for key in ["a", "b", "c", "d", "e"] {
      let store = image.afterDeath().process().store(at: paths)
      found[key] = store.value(forKey: key)
      if case .journal = store.postponed { count += 1 }
    }
    let all = image.process().store(at: paths).snapshot().values
    try #require(found == all, "\(moment)")
    return count
  }
}
