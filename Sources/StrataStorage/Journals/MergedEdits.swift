import CStrata

/// The last edit of each key in a stretch of a journal, as change sets that have the effect of all
/// edits together. They keep the form in which they are stored, since a long stretch has millions.
struct MergedEdits {
  /// The change sets, as they are stored.
  private(set) var parts: [[UInt8]] = []

  // Safety: keys and edits lie in the stretch, which is lent for the whole of this call.
  /// - Parameter sizeMax: of each change set; no single edit is split.
  init(_ scan: JournalScan, _ records: Range<Int>, partsOfAtMost sizeMax: Int) {
    scan.withPayloads { payload in
      var known: Set<Key> = []
      var kept: [UnsafeRawBufferPointer] = []
      var edits: [(key: Key, bytes: UnsafeRawBufferPointer)] = []
      var replacesAll = false
      for index in records.reversed() where !replacesAll {
        let bytes = payload(index)
        var reader = RecordReader(bytes)
        var start = 0
        edits.removeAll(keepingCapacity: true)
        while let target = reader.isAtEnd ? nil : reader.nextTarget() {
          let edit = UnsafeRawBufferPointer(rebasing: bytes[start..<reader.offset])
          start = reader.offset
          switch target {
          case .all: replacesAll = true
          case .removed(let key), .set(let key):
            edits.append((Key(key: HashedKey(utf8: key)), edit))
          }
        }
        for edit in edits.reversed() where known.insert(edit.key).inserted {
          kept.append(edit.bytes)
        }
      }
      add(kept, replacesAll, sizeMax)
    }
  }

  private mutating func add(
    _ edits: [UnsafeRawBufferPointer], _ replacesAll: Bool, _ sizeMax: Int
  ) {
    var part: [UInt8] = replacesAll ? [EditKind.removeAll.rawValue] : []
    for edit in edits.reversed() {
      if part.count + edit.count > sizeMax, !part.isEmpty {
        parts.append(part)
        part = []
      }
      part += edit
    }
    if !part.isEmpty { parts.append(part) }
  }

  /// A key as tables compare them: two spellings may be one key.
  private struct Key: Hashable {
    let key: HashedKey

    static func == (left: Self, right: Self) -> Bool {
      let (own, other) = (left.key.bytes, right.key.bytes)
      if left.key.hash != right.key.hash { return false }
      if own.count == other.count, strata_equal(own.baseAddress, other.baseAddress, own.count) {
        return true
      }
      return left.key.text == right.key.text
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key.hash) }
  }
}
