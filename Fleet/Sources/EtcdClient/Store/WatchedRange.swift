import RevisionedStore

/// How far the watch of one range is, and whether what comes is what is due.
struct WatchedRange {
  let range: KeyRange
  /// Up to which revision everything has been reported.
  private(set) var progress: Int64
  /// Events of a revision, the rest of which comes with the next fragment.
  private var held: [WatchBatch.Event] = []

  /// A transaction has at most 1.5 MB; a server that sends more of one revision is not believed.
  private static let heldMax = 4 << 20

  init(_ range: KeyRange, after revision: Int64) {
    self.range = range
    progress = revision
  }

  /// The events of an answer that can be reported: whole revisions, so that a stream that ends
  /// between two fragments repeats nothing when it goes on.
  mutating func take(_ answer: WatchAnswer) throws(StoreError) -> [WatchBatch.Event] {
    var last = max(progress, held.last?.revision ?? 0)
    for event in answer.events {
      guard range.contains(event.key), event.revision >= last, event.revision > progress else {
        throw .invalidAnswer("an event at revision \(event.revision) is not one that is due")
      }
      last = event.revision
    }
    var events = held + answer.events
    held = []
    if answer.isFragment, let unfinished = events.last?.revision {
      let start = events.firstIndex { $0.revision == unfinished } ?? 0
      held = Array(events[start...])
      events.removeSubrange(start...)
      guard held.reduce(0, { $0 + $1.size }) <= Self.heldMax else {
        throw .invalidAnswer("revision \(unfinished) is larger than a transaction can be")
      }
      last = events.last?.revision ?? progress
    }
    // Without events, it says how far it is.
    if answer.events.isEmpty, !answer.isCreated, held.isEmpty {
      last = max(last, answer.header.revision)
    }
    progress = last
    return events
  }
}

extension WatchBatch.Event {
  /// About how many bytes it takes.
  var size: Int {
    switch self {
    case .put(let value): 64 + value.key.utf8.count + value.value.count
    case .deleted(let key, _): 64 + key.utf8.count
    }
  }
}
