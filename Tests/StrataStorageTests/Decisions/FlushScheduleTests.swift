import Testing

@testable import StrataStorage

/// When changes are brought to the disk, and what is said meanwhile, without a clock.
@Suite struct FlushScheduleTests {
  private let second: Int64 = 1_000_000_000

  // S-7
  @Test func `what others left is flushed once it was left alone for two seconds`() {
    var schedule = FlushSchedule()
    #expect(schedule.isAbandoned(1, at: second) == false)
    #expect(schedule.isAbandoned(1, at: 3 * second) == false)
    #expect(schedule.isAbandoned(1, at: 3 * second + 1) == true)
    #expect(schedule.isAbandoned(1, at: 4 * second) == false, "it was just asked for")
    #expect(schedule.isAbandoned(2, at: 9 * second) == false, "somebody has set something")
  }

  // S-7
  @Test func `the flusher is told to hurry once in sixteen mebibytes`() {
    var schedule = FlushSchedule()
    let step = FlushSchedule.journalSizeSoft
    #expect(schedule.mustHurry(at: step) == false)
    #expect(schedule.mustHurry(at: step + 8) == true)
    #expect(schedule.mustHurry(at: step + 16) == false)
    #expect(schedule.mustHurry(at: 2 * step + 16) == true)
    schedule.restart(onSameBase: false)
    #expect(schedule.mustHurry(at: step + 8) == true, "of another journal")
  }

  // S-7
  @Test func `files that change while the plist is written put it off by one look only`() {
    var pace = FlushPace()
    var now: Int64 = 0
    func look(_ pace: inout FlushPace) -> FlushPace.Action {
      now += Flusher.interval
      return pace.next(now: now, word: 1, isPending: true, isFull: false)
    }
    #expect(look(&pace) == .synchronize)
    for _ in 0..<10 {
      #expect(look(&pace) == .checkpoint)
      pace.finished(.changed, now: now)
    }
    #expect(look(&pace) == .checkpoint)
    pace.finished(.failed, now: now)
    #expect(look(&pace) == .wait, "a disk that refuses is given time")
  }

  // S-7
  @Test func `what has waited for long waits no longer for others that write, unless they have`() {
    var schedule = FlushSchedule()
    var word: UInt64 = 0
    func next(at now: Int64) -> FlushPace.Action {
      word += 1
      return schedule.pace.next(now: now, word: word, isPending: true, isFull: false)
    }
    #expect(next(at: second) == .synchronize)
    for outcome in [CheckpointOutcome.busy, .unsettled, .changed] {
      #expect(next(at: 10 * second) == .checkpoint)
      schedule.pace.finished(outcome, now: 10 * second)
    }
    #expect(next(at: 11 * second) == .checkpoint)
    schedule.pace.finished(.busy, now: 11 * second)
    schedule.restart(onSameBase: true)
    #expect(next(at: 11 * second) == .checkpoint)
    schedule.restart(onSameBase: false)
    #expect(next(at: 12 * second) == .synchronize, "what is pending was set after that")
    #expect(next(at: 21 * second) == .checkpoint)
  }

  // S-4, S-20
  @Test func `while the list can't be written each change is made durable in the journal`() {
    var pace = FlushPace()
    _ = pace.next(now: 1, word: 1, isPending: true, isFull: false)
    #expect(pace.next(now: 2, word: 1, isPending: true, isFull: false) == .checkpoint)
    pace.finished(.failed, now: 2)
    #expect(pace.isFailing)
    #expect(pace.next(now: 3, word: 2, isPending: true, isFull: false) == .synchronize)
    #expect(pace.next(now: 4, word: 2, isPending: true, isFull: false) == .wait)
    #expect(pace.next(now: 5, word: 3, isPending: true, isFull: true) == .synchronize)
    pace.finished(.done, now: 6)
    #expect(!pace.isFailing)
  }

  // S-7
  @Test func `what is quiet is written within a second, what never is within ten`() {
    var quiet = FlushPace()
    #expect(
      quiet.next(now: Flusher.interval, word: 1, isPending: true, isFull: false) == .synchronize)
    #expect(
      quiet.next(now: 2 * Flusher.interval, word: 1, isPending: true, isFull: false) == .checkpoint)
    #expect(2 * Flusher.interval < 1_000_000_000)
    var busy = FlushPace()
    var now: Int64 = 0
    var word: UInt64 = 0
    repeat {
      now += Flusher.interval
      word += 1
    } while busy.next(now: now, word: word, isPending: true, isFull: false) == .synchronize
    #expect(now < 10_000_000_000)
  }

  // S-7, S-10
  @Test func `the flusher leaves a store alone when nothing is pending and nothing to be stored`() {
    var pace = FlushPace()
    #expect(pace.next(now: 1, word: 1, isPending: false, isFull: false) == .rest)
    #expect(pace.next(now: 2, word: 1, isPending: false, isFull: true) == .rest)
    #expect(
      pace.next(now: 3, word: 1, isPending: false, isFull: false, hasUnsaved: true) == .wait)
    #expect(
      pace.next(now: 4, word: 1, isPending: true, isFull: false, hasUnsaved: true) == .checkpoint,
      "what is pending does not wait for what can't be stored")
  }

  // S-10
  @Test func `what could not be stored is tried ten times a second, or when it is asked for`() {
    var schedule = FlushSchedule()
    #expect(schedule.beginRetry(at: second, isUrgent: false) == true)
    #expect(schedule.beginRetry(at: second + 99_999_999, isUrgent: false) == false)
    #expect(!schedule.mayRetry(at: second + 99_999_999))
    #expect(schedule.mayRetry(at: second + 100_000_000))
    #expect(schedule.beginRetry(at: second + 1, isUrgent: true) == true)
    #expect(!schedule.mayRetry(at: second + 100_000_000), "the last one counts")
    schedule.retryNow()
    #expect(schedule.mayRetry(at: second + 2))
    schedule.retryLater(at: second)
    #expect(!schedule.mayRetry(at: second + 99_999_999))
  }

  // S-18
  @Test func `a process that writes the file for a second may be stopped`() {
    var schedule = FlushSchedule()
    #expect(schedule.isHeldUp(at: second) == false)
    #expect(schedule.isHeldUp(at: 2 * second - 1) == false)
    #expect(schedule.isHeldUp(at: 2 * second) == true)
    schedule.endWaiting()
    #expect(schedule.isHeldUp(at: 4 * second) == false, "it is another time")
    schedule.restart(onSameBase: true)
    #expect(schedule.isHeldUp(at: 5 * second) == true, "others have only compacted the journal")
    schedule.restart(onSameBase: false)
    #expect(schedule.isHeldUp(at: 6 * second) == false, "it has finished one")
  }

  // S-7, S-18, S-20
  @Test func `a journal is compacted only where no list can be written, or none for long`() {
    var schedule = FlushSchedule()
    let size = 1 << 20
    #expect(schedule.mustCompact(after: .failed, journalSize: size, at: second))
    for outcome in [CheckpointOutcome.done, .changed, .unsettled] {
      #expect(!schedule.mustCompact(after: outcome, journalSize: 100 * size, at: second))
    }
    #expect(!schedule.mustCompact(after: .busy, journalSize: size, at: 100 * second))
    #expect(schedule.mustCompact(after: .busy, journalSize: 65 * size, at: second))
    _ = schedule.isHeldUp(at: second)
    #expect(!schedule.mustCompact(after: .busy, journalSize: size, at: 11 * second - 1))
    #expect(schedule.mustCompact(after: .busy, journalSize: size, at: 11 * second))
  }

  // S-9, S-10
  @Test func `an issue is told once, and settled unless something is kept aside`() {
    var issues = IssueList()
    let full = StorageIssue(.notStored, "a", "the disk is full")
    let lost = StorageIssue(.damaged, "a", "its header is corrupt", keptAt: "a.damaged")
    let elsewhere = StorageIssue(.notStored, "b", "the disk is full")
    #expect(issues.add(full) == true)
    #expect(issues.add(lost) == true)
    #expect(issues.add(elsewhere) == true)
    #expect(issues.add(full) == false)
    issues.settle([.notStored, .damaged], about: "a")
    #expect(issues.all == [lost, elsewhere])
    issues.settle([.notStored])
    #expect(issues.all == [lost])
    #expect(issues.add(full) == true, "it is news again")
    for number in 0..<40 { _ = issues.add(StorageIssue(.waiting, "\(number)", "")) }
    #expect(issues.all.count == 32 && issues.last?.path == "39", "the newest stay")
  }
}
