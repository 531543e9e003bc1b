import RevisionedStore

/// Reads all that is in ranges, at one revision, by as many transactions as it takes: an answer may
/// have 64 MB, and a store of many hosts has more.
struct PagedRead {
  /// What a request asks of one range: what is in it from a key on.
  struct Page {
    var key: [UInt8]
    let end: [UInt8]
  }

  typealias Ask = (_ request: [UInt8]) async throws(StoreError) -> [UInt8]

  private static let valueOverhead = 160
  /// How long a server may take for all answers.
  private static let patience = Duration.seconds(600)

  private let ranges: [KeyRange]
  private let valuesMax: Int
  private let sizeMax: Int
  private let ask: Ask

  /// - Parameters:
  ///   - valuesMax: how many values one answer may have; together they rarely have a megabyte.
  ///   - sizeMax: what a server may send altogether, values with what is kept beside each.
  init(
    _ ranges: [KeyRange], valuesMax: Int = 1_000, sizeMax: Int = 256 << 20, _ ask: @escaping Ask
  ) {
    self.ranges = ranges
    self.valuesMax = valuesMax
    self.sizeMax = sizeMax
    self.ask = ask
  }

  /// The history of the revision that is read may be compacted before all is; then, what there is
  /// now is read.
  private static let attemptsMax = 3

  func snapshot() async throws(StoreError) -> StoreSnapshot {
    let end = ContinuousClock.now + Self.patience
    for _ in 1..<Self.attemptsMax {
      do throws(StoreError) {
        return try await attempt(before: end)
      } catch {
        guard case .compacted = error else { throw error }
      }
    }
    return try await attempt(before: end)
  }

  private func attempt(
    before end: ContinuousClock.Instant
  ) async throws(StoreError) -> StoreSnapshot {
    var (header, values, size) = (EtcdHeader(), [StoredValue](), 0)
    var pages = ranges.map { range in
      let (key, end) = EtcdMessages.bounds(of: range)
      return Page(key: key, end: end)
    }
    var most = valuesMax
    var tooLong: StoreError?
    repeat {
      let limit = max(1, most / max(1, pages.count))
      let answer: TransactionAnswer
      do throws(StoreError) {
        answer = try TransactionAnswer(
          try await ask(EtcdMessages.read(pages, limit: limit, revision: header.revision)))
        tooLong = nil
      } catch {
        guard EtcdErrors.isTooLong(error), limit > 1 else {
          // A server that did not end what was too long says nothing else.
          if case .unavailable = error { throw tooLong ?? error }
          throw error
        }
        tooLong = error
        most = limit * pages.count / 8
        continue
      }
      if header.revision == 0 { header = answer.header }
      guard header.revision > 0, answer.header.cluster == header.cluster else {
        throw ProtobufReader.malformed
      }
      for value in answer.values where ranges.contains(where: { $0.contains(value.key) }) {
        values.append(value)
        size += value.key.utf8.count + value.value.count + Self.valueOverhead
      }
      guard size <= sizeMax else {
        throw .invalidAnswer("what is to be read has more than \(sizeMax >> 20) MB")
      }
      pages = try rest(of: pages, answer, limit)
      guard pages.isEmpty || .now < end else {
        throw .unavailable("it takes too long to say all that was asked")
      }
    } while !pages.isEmpty
    return StoreSnapshot(
      revision: header.revision,
      values: values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) },
      store: header.cluster)
  }

  /// What is still to be asked for.
  private func rest(
    of pages: [Page], _ answer: TransactionAnswer, _ limit: Int
  ) throws(StoreError) -> [Page] {
    var rest: [Page] = []
    for (page, part) in zip(pages, answer.parts) where part.hasMore {
      // A server that does not come further, or that sends less at once than it may, never ends.
      guard part.count == limit, !part.lastKey.lexicographicallyPrecedes(page.key) else {
        throw ProtobufReader.malformed
      }
      rest.append(Page(key: part.lastKey + [0], end: page.end))
    }
    return rest
  }
}
