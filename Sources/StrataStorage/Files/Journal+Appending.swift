import CStrata
import Synchronization

/// Adding records, with any number of processes at it and no lock.
///
/// Whoever appends first reserves the bytes behind the committed length, in the word that all
/// share; only one can. The record is written there and marked: with that it counts. Then the word
/// moves past it, which shows it to everyone. A process that stops or dies in between is waited for
/// a moment only. If its record is marked, anyone moves the word; if not, anyone makes the mark
/// void, and moves the word past the gap: whatever the stopped process writes there when it goes on
/// is of no account, it finds its mark taken, and appends once more.
///
/// What a mark says never changes, and decides also after a restart: a record that no process saw
/// as committed never begins to count.
extension Journal {
  /// Reserves so many bytes, a multiple of 8, behind `length`, if that is the committed length and
  /// nobody else has reserved.
  @inline(__always)
  func reserve(_ size: Int, at length: Int) -> Bool {
    exchange(JournalWord(length: length), JournalWord(length: length, reserved: size))
  }

  /// Gives back what was reserved, of which nothing was used.
  ///
  /// Where others wait, one of them may be about to make it void, however long that one is stopped
  /// before it does: it is made void at once, so that nothing else is ever reserved in its place.
  func release(_ size: Int, at length: Int) {
    let word = JournalWord(length: length, reserved: size)
    guard size > 0, !exchange(word, JournalWord(length: length)) else { return }
    guard state == word.withWaiters else { return }
    _ = decide(JournalMark.void(size: size, salt: header.salt), at: length)
    _ = help(word.withWaiters)
  }

  /// Writes one record where its size was reserved, and commits it.
  /// - Returns: false when somebody lost patience: the record is void, and to be appended again.
  @inline(__always)
  func append(
    payload: Int, at length: Int, step: ((AppendStep) -> Void)? = nil,
    _ write: (inout RecordWriter) -> Void
  ) -> Bool {
    step?(.reserved)
    let record = mapping.base + length
    var writer = RecordWriter(at: record + JournalRecord.headerSize)
    write(&writer)
    step?(.written)
    let sum = JournalRecord.seal(
      record, payload: payload, salt: header.salt, previous: lastSum, offset: length)
    step?(.sealed)
    guard decide(header.salt, at: length) else { return false }
    step?(.marked)
    resume(after: sum)
    let size = JournalRecord.size(payload: payload)
    // Where this fails, somebody has moved the word for us.
    _ = move(
      JournalWord(length: length, reserved: size), to: JournalWord(length: length + size))
    step?(.committed)
    return true
  }

  /// Has nobody append from now on: another journal is to take this one's place.
  /// - Parameter reserved: what this process has reserved.
  func retire(at length: Int, reserved: Int = 0) -> Bool {
    defer { atomicMemoryFence(ordering: .sequentiallyConsistent) }
    return move(
      JournalWord(length: length, reserved: reserved),
      to: JournalWord(length: length, isRetired: true))
  }

  /// Moves the word past what was reserved, if it is known what became of that.
  func help(_ word: JournalWord) -> Bool {
    guard isWritable, word.isSound, word.reserved > 0 else { return false }
    let bits = atomic32(word.length).pointee.load(ordering: .acquiring)
    if case .undecided = JournalMark(UInt32(littleEndian: bits), salt: header.salt) { return false }
    if exchange(word, JournalWord(length: word.length + word.reserved)) { wake(word) }
    return true
  }

  /// Waits until nobody appends, or makes void what takes too long.
  /// - Returns: the word: nothing is reserved in it, or it is unsound.
  func awaitTurn() -> JournalWord {
    for _ in 0..<Self.spinsMax {
      let word = state
      if word.reserved == 0 || !word.isSound { return word }
      strata_pause()
    }
    while true {
      let word = state
      guard word.isSound, word.reserved > 0, !mapping.isLost else { return word }
      if help(word) { continue }
      let waiting = word.withWaiters
      if word != waiting, !exchange(word, waiting) { continue }
      linger(waiting)
      if state == waiting {
        _ = decide(JournalMark.void(size: word.reserved, salt: header.salt), at: word.length)
      }
    }
  }

  private static let spinsMax = 100
  /// More of them take longer to write.
  private static let patienceSize: Int64 = 1 << 20

  private func linger(_ waiting: JournalWord) {
    let patience = disk.patience * (1 + Int64(waiting.reserved) / Self.patienceSize)
    let end = strata_coarse_now() + patience
    while state == waiting {
      let rest = end - strata_coarse_now()
      if rest <= 0 { return }
      strata_futex_wait(upperHalf, UInt32(waiting.rawValue >> 32), rest)
    }
  }

  /// Says, once and for all, what became of the record at `length`.
  private func decide(_ mark: UInt32, at length: Int) -> Bool {
    atomic32(length).pointee.compareExchange(
      expected: 0, desired: mark.littleEndian, successOrdering: .acquiringAndReleasing,
      failureOrdering: .acquiring
    ).exchanged
  }

  @inline(__always)
  private func exchange(_ old: JournalWord, _ new: JournalWord) -> Bool {
    word.pointee.compareExchange(
      expected: old.rawValue, desired: new.rawValue, successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// The same for whoever has reserved, and may be waited for.
  @inline(__always)
  private func move(_ old: JournalWord, to new: JournalWord) -> Bool {
    if exchange(old, new) { return true }
    let waited = old.withWaiters
    guard old.reserved > 0, exchange(waited, new) else { return false }
    wake(waited)
    return true
  }

  private func wake(_ word: JournalWord) {
    guard word.hasWaiters else { return }
    strata_futex_wake(upperHalf, Int32.max)
    // Else whoever sets without a pause reserves again before those that were woken run.
    strata_yield()
  }

  // Safety: within the mapping; the half of the word that the kernel compares.
  private var upperHalf: UnsafeMutablePointer<UInt32> {
    (mapping.base + JournalLayout.word + 4).assumingMemoryBound(to: UInt32.self)
  }
}

/// Which journal takes this one's place.
extension Journal {
  /// Says that it is the one with this number, if nobody has said something else than `known`.
  func publish(_ number: UInt64, insteadOf known: UInt64) -> Bool {
    let isFirst = successor.pointee.compareExchange(
      expected: known, desired: number, successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
    if isFirst { strata_futex_wake(successorHalf, Int32.max) }
    return isFirst
  }

  /// Waits a moment for whoever retired this one to name the next.
  /// - Returns: the successor's number; 0 when that process seems to be stopped or dead.
  func awaitSuccessor() -> UInt64 {
    let end = strata_coarse_now() + 2 * disk.patience
    while true {
      let number = successor.pointee.load(ordering: .acquiring)
      let rest = end - strata_coarse_now()
      if number != 0 || rest <= 0 { return number }
      strata_futex_wait(successorHalf, 0, rest)
    }
  }

  // Safety: within the mapping; numbers are small.
  private var successorHalf: UnsafeMutablePointer<UInt32> {
    (mapping.base + JournalLayout.successor).assumingMemoryBound(to: UInt32.self)
  }
}
