import CStrata
import Synchronization

/// Appending records, by any number of processes at once and without a lock.
///
/// To append, a process first reserves the bytes behind the committed length, in the word that all
/// share; only one process can. It writes the record there and marks it: with that the record
/// counts. Then the word moves past it, which shows it to everyone. If a process stops or dies in
/// between, others wait for it a moment only. If its record is marked, anyone moves the word; if
/// not, anyone makes it void (marks the bytes as holding no record), and moves the word past the
/// gap. Whatever the stopped process still writes there does not count: it finds its mark taken,
/// and appends once more.
///
/// A mark never changes, and still decides after a restart: a record that no process saw as
/// committed never begins to count.
extension Journal {
  /// Reserves so many bytes, a multiple of 8, behind `length`. That succeeds only if `length` is
  /// the committed length and nobody else has reserved.
  @inline(__always)
  func reserve(_ size: Int, at length: Int) -> Bool {
    exchange(JournalWord(length: length), JournalWord(length: length, reserved: size))
  }

  /// Gives back what was reserved, and was not used.
  ///
  /// If others wait, one of them may be about to make these bytes void, and may be stopped for long
  /// before it does. So they are made void at once: no other record is ever written where it would
  /// strike.
  func release(_ size: Int, at length: Int) {
    let word = JournalWord(length: length, reserved: size)
    guard size > 0, !exchange(word, JournalWord(length: length)) else { return }
    guard state == word.withWaiters else { return }
    _ = decide(JournalMark.void(size: size, salt: header.salt), at: length)
    _ = help(word.withWaiters)
  }

  /// Writes one record where room for it is reserved, and commits it.
  /// - Returns: false if somebody waited for too long and made it void: it must be appended again.
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
    // If this fails, somebody else has moved the word for us.
    _ = move(
      JournalWord(length: length, reserved: size), to: JournalWord(length: length + size))
    step?(.committed)
    return true
  }

  /// Retires the journal, which must not be idle: from now on nobody appends, since another one is
  /// to take its place.
  /// - Parameter reserved: the bytes that this process has reserved.
  func retire(at length: Int, reserved: Int = 0) -> Bool {
    // Ordering: whoever retires the journal looks at its intent and at its durable length after
    // this; pairs with the fences in `Store.announce` and `Store.synchronize`. Who only finds it
    // retired has a fence in `JournalReplacement.complete`.
    defer { atomicMemoryFence(ordering: .sequentiallyConsistent) }
    return move(
      JournalWord(length: length, reserved: reserved),
      to: JournalWord(length: length, isRetired: true))
  }

  /// Destroys the word of a journal that was cut off: by that, all who share it learn of it at
  /// once, and nobody appends to it any more. Each brings what it knows to the one in its place.
  func giveUp() {
    guard isWritable, !mapping.isLost else { return }
    // Ordering: nothing is behind it; who reads it looks at the files.
    word.pointee.store(0, ordering: .sequentiallyConsistent)
  }

  /// Moves the word past what is reserved, if the mark says what became of it.
  func help(_ word: JournalWord) -> Bool {
    guard isWritable, word.isSound, word.reserved > 0 else { return false }
    // Ordering: acquires the record, which the exchange below passes on to readers.
    let bits = atomic32(word.length).pointee.load(ordering: .acquiring)
    if case .undecided = JournalMark(UInt32(littleEndian: bits), salt: header.salt) { return false }
    if exchange(word, JournalWord(length: word.length + word.reserved)) { wake(word) }
    return true
  }

  /// Waits until nobody appends; makes void what takes too long.
  /// - Returns: the word, with nothing reserved unless it is unsound or the mapping is lost.
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
  /// For so many reserved bytes more, a writer is waited for once as long again.
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

  /// Decides, once and for all, what becomes of the record at `length`; false if it was decided.
  // Ordering: releases the record to whoever sees the mark; who finds it decided acquires that,
  // since it may move the word for readers who look at nothing else.
  private func decide(_ mark: UInt32, at length: Int) -> Bool {
    atomic32(length).pointee.compareExchange(
      expected: 0, desired: mark.littleEndian, successOrdering: .acquiringAndReleasing,
      failureOrdering: .acquiring
    ).exchanged
  }

  // Ordering: releases the records up to the new length, and acquires all before the old one.
  // Sequentially consistent, which takes the same instructions, for the look at `watchers` that may
  // follow: see `Store.countWatcher`. After a failure, callers load the word again, acquiring.
  @inline(__always)
  private func exchange(_ old: JournalWord, _ new: JournalWord) -> Bool {
    word.pointee.compareExchange(
      expected: old.rawValue, desired: new.rawValue, successOrdering: .sequentiallyConsistent,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// The same for a process that has reserved, and that others may be waiting for.
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
    // Otherwise a process that sets without a pause reserves again before the woken ones run.
    strata_yield()
  }

  // Safety: within the mapping; the half of the word that the kernel compares.
  private var upperHalf: UnsafeMutablePointer<UInt32> {
    (mapping.base + JournalLayout.word + 4).assumingMemoryBound(to: UInt32.self)
  }
}

/// Naming the journal that takes this one's place.
extension Journal {
  /// Names the journal with this number, unless somebody has named another one than `known`.
  func publish(_ number: UInt64, insteadOf known: UInt64) -> Bool {
    // Ordering: releases the new journal, acquires the one that somebody else named.
    let isFirst = successor.pointee.compareExchange(
      expected: known, desired: number, successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
    if isFirst { strata_futex_wake(successorHalf, Int32.max) }
    return isFirst
  }

  /// Waits a moment for the process that retired this journal to name the next one.
  /// - Returns: the successor's number; 0 if that process seems to be stopped or dead.
  func awaitSuccessor() -> UInt64 {
    let end = strata_coarse_now() + 2 * disk.patience
    while true {
      // Ordering: acquires the journal that this names.
      let number = successor.pointee.load(ordering: .acquiring)
      let rest = end - strata_coarse_now()
      if number != 0 || rest <= 0 { return number }
      strata_futex_wait(successorHalf, 0, rest)
    }
  }

  // Safety: within the mapping; the lower half is enough, since numbers are small.
  private var successorHalf: UnsafeMutablePointer<UInt32> {
    (mapping.base + JournalLayout.successor).assumingMemoryBound(to: UInt32.self)
  }
}
