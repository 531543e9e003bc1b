import CStrata
import Synchronization

/// Adding records and reading them.
extension Journal {
  /// Whether a record with `payload` bytes of change set fits behind `length`.
  func hasRoom(for payload: Int, at length: Int) -> Bool {
    length + JournalRecord.size(payload: payload) <= knownSize
  }

  /// Makes the file large enough for such a record, on the disk too, before anything is written
  /// through the mapping: a full disk is an error here and no signal there.
  func makeRoom(
    for payload: Int, at length: Int, on disk: any FileSystem
  ) throws(StorageError) {
    knownSize = try disk.status(of: file).size
    let needed = length + JournalRecord.size(payload: payload)
    guard needed > knownSize else { return }
    guard needed <= mapping.count else {
      throw StorageError(
        .set, path, reason: "a change set can't exceed \(mapping.count - length) bytes")
    }
    let comfortable = min(2 * knownSize, knownSize + JournalLayout.growthMax)
    let size = min(
      max(needed, comfortable).roundedUp(to: JournalLayout.initialSize), mapping.count)
    try disk.allocate(file, knownSize..<size)
    knownSize = size
  }

  /// Writes one record behind `length` and commits it: the store of the word is the moment at
  /// which every process sees it.
  ///
  /// The shared lock must be held, and there must be room.
  /// - Returns: the new length.
  @inline(__always)
  func append(
    payload: Int, at length: Int, step: ((AppendStep) -> Void)? = nil,
    _ write: (inout RecordWriter) -> Void
  ) -> Int {
    let record = mapping.base + length
    var writer = RecordWriter(at: record + JournalRecord.headerSize)
    write(&writer)
    step?(.written)
    lastSum = JournalRecord.seal(
      record, payload: payload, salt: header.salt, previous: lastSum, offset: length)
    step?(.sealed)
    let end = length + JournalRecord.size(payload: payload)
    word.pointee.store(Self.word(length: end), ordering: .releasing)
    step?(.committed)
    return end
  }

  /// Whether the file, as far as this process knows, is that long.
  func isWhole(upTo end: Int) -> Bool { end <= knownSize }

  /// How much of the file there is, at most what is mapped.
  func sizeNow(on disk: any FileSystem) -> Int {
    do { knownSize = try disk.status(of: file).size } catch { knownSize = 0 }
    return min(knownSize, mapping.count)
  }

  /// A private copy of committed bytes.
  func bytes(_ range: Range<Int>) -> [UInt8] { mapping.bytes(range) }

  /// What a checkpoint has announced, if its announcement is whole.
  var intent: CheckpointIntent? {
    let bytes = bytes(JournalLayout.intent..<JournalLayout.intent + 32)
    // Safety: every offset lies within the 32 bytes.
    return bytes.withUnsafeBytes { raw in
      let sum = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
      guard sum != 0, sum == checksum32([UInt8](bytes[..<24])),
        let covers = Int(
          exactly: UInt64(littleEndian: raw.load(fromByteOffset: 16, as: UInt64.self)))
      else { return nil }
      return CheckpointIntent(
        identity: PlistIdentity(
          size: UInt64(littleEndian: raw.load(as: UInt64.self)),
          checksum: UInt32(littleEndian: raw.load(fromByteOffset: 8, as: UInt32.self))),
        covers: covers)
    }
  }

  /// Announces a checkpoint. The shared lock must be held.
  func announce(_ intent: CheckpointIntent) {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { raw in
      raw.storeBytes(of: intent.identity.size.littleEndian, as: UInt64.self)
      raw.storeBytes(
        of: intent.identity.checksum.littleEndian, toByteOffset: 8, as: UInt32.self)
      raw.storeBytes(of: UInt64(intent.covers).littleEndian, toByteOffset: 16, as: UInt64.self)
    }
    let sum = checksum32([UInt8](bytes[..<24]))
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: sum.littleEndian, toByteOffset: 24, as: UInt32.self)
    }
    (mapping.base + JournalLayout.intent).copyMemory(from: bytes, byteCount: bytes.count)
  }
}

/// The moments of an append between which a process can die.
package enum AppendStep: Sendable {
  case written, sealed, committed
}

extension Int {
  func roundedUp(to unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
