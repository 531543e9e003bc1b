import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Many damaged files: each is noticed, and costs only what was hit.
@Suite(.serialized) struct DamageSlowTests {
  enum Kind: CaseIterable { case flippedBit, truncation, zeroedSector, zeroedPage }

  static let trials = 300
  static let keys = 1_000

  // S-9a, S-11
  @Test func `a damaged plist costs what was hit, and is reported`() throws {
    let place = try Place()
    try fill(place, flushes: true)
    let sound = try place.bytes(of: place.plist)
    let records = recordRanges(sound)
    try trial(place, place.plist, sound, endingAt: sound.count) { touched in
      records.filter { !$0.value.overlaps(touched) }.map(\.key)
    }
  }

  // S-9a, S-11
  @Test func `a damaged journal costs what was hit, and is reported`() throws {
    let place = try Place()
    try fill(place, flushes: false)
    let sound = try place.bytes(of: place.paths.journal)
    let ends = try journalEnds(sound)
    try trial(place, place.paths.journal, sound, endingAt: ends.last?.1 ?? 0) { touched in
      var start = JournalLayout.recordsStart
      return ends.compactMap { key, end in
        defer { start = end }
        return (start..<end).overlaps(touched) ? nil : key
      }
    }
  }

  // S-9a, S-11
  @Test func `a flipped bit in the head of a journal loses no record silently`() throws {
    let place = try Place()
    try fill(place, flushes: false)
    let sound = try place.bytes(of: place.paths.journal)
    let right = place.freshValues()
    for bit in 0..<8 * (JournalLayout.once + 32) {
      let copy = try Place()
      mkdir(copy.paths.hidden, 0o700)
      var bytes = sound
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try copy.overwrite(copy.paths.journal, bytes)
      let store = copy.freshStore()
      let found = store.snapshot().values
      #expect(found == right, "bit \(bit): \(found.count) values, issues \(store.issues)")
      try store.set(.integer(1), forKey: "after")
      store.journal?.settlesAt = 1  // as if others had had their time
      #expect(store.flush(), "bit \(bit)")
      #expect(copy.freshValues().count == found.count + 1, "bit \(bit)")
    }
  }

  private func fill(_ place: Place, flushes: Bool) throws {
    let store = place.freshStore()
    for index in 0..<Self.keys {
      // Records of different lengths, so that a wrong length of the journal is not a sound one.
      let text = "value \(index) " + String(repeating: "x", count: index * 7 % 40)
      try store.set(.string(text), forKey: "key\(index)")
    }
    if flushes { #expect(store.flush()) }
  }

  /// Damages `path` again and again.
  /// - Parameter spared: the keys whose records do not touch the damaged bytes.
  private func trial(
    _ place: Place, _ path: String, _ sound: [UInt8], endingAt end: Int,
    _ spared: (Range<Int>) -> [String]
  ) throws {
    let right = place.freshValues()
    try #require(right.count == Self.keys)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var (keptCount, sparedCount, unseen) = (0, 0, [String: Int]())
    for trial in 0..<Self.trials {
      let kind = Kind.allCases[trial % Kind.allCases.count]
      let (bytes, touched) = Self.damage(sound, kind, &random)
      guard bytes != sound else { continue }
      let copy = try Place()
      mkdir(copy.paths.hidden, 0o700)
      try copy.overwrite(path == place.plist ? copy.plist : copy.paths.journal, bytes)
      let store = copy.freshStore()
      let found = store.snapshot().values
      let name: Comment = "seed \(seed), trial \(trial), \(kind) at \(touched)"
      let wrong = found.filter { right[$0.key] != $0.value }
      #expect(wrong.isEmpty, name)
      let expected = spared(touched)
      sparedCount += expected.count
      let kept = expected.filter { found[$0] != nil }.count
      keptCount += kept
      #expect(Double(kept) >= 0.99 * Double(expected.count), name)
      if store.issues.isEmpty {
        let place = Self.place(of: touched, journalEnd: path == place.plist ? nil : end)
        let isPadding =
          touched.count == 1 && sound[touched.lowerBound] == 0
          && expected.count == Self.keys - 1 && found == right
        unseen[isPadding ? "unused, behind a record" : place, default: 0] += 1
        #expect(found == right, name)
      }
      try store.set(.integer(1), forKey: "after")
      // As if others had had their time.
      store.journal?.settlesAt = 1
      store.plist.unsoundSince = -2_000_000_000
      #expect(store.flush(), name)
      #expect(copy.freshValues()["after"] == .integer(1), name)
    }
    print(
      "damage to \(path == place.plist ? "plist" : "journal"): \(keptCount) of \(sparedCount) "
        + "spared records kept; not reported: \(unseen)")
    #expect(unseen.keys.allSatisfy { $0.hasPrefix("unused") }, "seed \(seed): \(unseen)")
  }

  private static func damage(
    _ sound: [UInt8], _ kind: Kind, _ random: inout SeededGenerator
  ) -> ([UInt8], Range<Int>) {
    var bytes = sound
    let place = Int.random(in: 0..<sound.count, using: &random)
    switch kind {
    case .flippedBit:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      return (bytes, place..<place + 1)
    case .truncation:
      return (Array(sound.prefix(place)), place..<sound.count)
    case .zeroedSector, .zeroedPage:
      let size = kind == .zeroedSector ? 512 : 4096
      let start = place / size * size
      let range = start..<min(start + size, sound.count)
      for index in range { bytes[index] = 0 }
      return (bytes, range)
    }
  }

  /// Where the damage is: in bytes that mean something, or not.
  private static func place(of range: Range<Int>, journalEnd: Int?) -> String {
    guard let journalEnd else { return "plist at \(range)" }
    let used = [
      0..<JournalHeader.size, JournalLayout.word..<JournalLayout.word + 8,
      JournalLayout.recordsStart..<journalEnd,
    ]
    return used.contains { $0.overlaps(range) }
      ? "journal at \(range)" : "unused, or a word that heals itself"
  }

  /// Where each key's record lies in a plist of ours, its prefix included.
  private func recordRanges(_ bytes: [UInt8]) -> [(key: String, value: Range<Int>)] {
    var ranges: [(key: String, value: Range<Int>)] = []
    bytes.withUnsafeBytes { raw in
      var offset = BinaryTrailer.header.count
      while let prefix = RecordPrefix(ByteView(raw), at: offset) {
        let range = offset..<offset + RecordPrefix.size + prefix.length
        ranges.append((key: "", value: range))
        offset = range.upperBound
      }
    }
    let keys = CheckedPlist.salvage(bytes).entries.map(\.key)
    return zip(keys, ranges).map { (key: $0, value: $1.value) }
  }

  private func journalEnds(_ bytes: [UInt8]) throws -> [(String, Int)] {
    guard case .header(let header) = JournalHeader.read(bytes) else { return [] }
    let scan = JournalScan(
      Array(bytes[JournalLayout.recordsStart...]), offset: JournalLayout.recordsStart,
      of: header, unsound: .end)
    return zip(scan.allChanges(), scan.ends).map { ($0.changes.first?.key ?? "", $1) }
  }
}
