/// Checks that a store keeps the rules of `RevisionedStore`, with whatever runs the tests.
///
/// ```swift
/// for rule in StoreConformance.rules { try await rule.check(store) }
/// ```
public struct StoreConformance: Sendable {
  /// One rule.
  public struct Rule: Sendable {
    /// The rule as a sentence.
    public let name: String
    private let body: @Sendable (StoreTrial) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (StoreTrial) async throws -> Void) {
      self.name = name
      self.body = body
    }

    /// - Throws: a `Violation` if the store breaks the rule, or the store's error.
    public func check(_ store: any RevisionedStore) async throws {
      try await body(StoreTrial(store, rule: name))
    }
  }

  /// A rule that a store has broken.
  public struct Violation: Error, CustomStringConvertible {
    /// Which rule, and what happened instead.
    public let description: String
  }

  /// All rules. Each uses keys of its own, below `conformance/`.
  public static let rules: [Rule] = reading + committing + watching + leases
}

/// A store while a rule is checked, with keys that no other check uses.
struct StoreTrial: Sendable {
  let store: any RevisionedStore
  let root: String
  private let rule: String

  init(_ store: any RevisionedStore, rule: String) {
    self.store = store
    self.rule = rule
    root = "conformance/\(String(UInt64.random(in: 0 ... .max), radix: 36))/"
  }

  var all: KeyRange { .prefix(root) }

  func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) throws {
    if !isTrue { throw StoreConformance.Violation(description: "\(rule): \(text())") }
  }

  func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value) throws {
    try expect(found == expected, "\(found) instead of \(expected)")
  }

  /// Expects the call to fail, with an error for which this is true.
  func expectError(
    _ matches: (StoreError) -> Bool, _ body: () async throws(StoreError) -> Void
  ) async throws {
    do throws(StoreError) {
      try await body()
    } catch {
      return try expect(matches(error), "the error is \(error)")
    }
    try expect(false, "there is no error")
  }

  @discardableResult
  func put(_ name: String, _ value: String, lease: Int64? = nil) async throws -> Int64 {
    try await commit([.put(key: root + name, value: Array(value.utf8), lease: lease)])
  }

  @discardableResult
  func commit(_ operations: [StoreTransaction.Operation]) async throws -> Int64 {
    let result = try await store.commit(StoreTransaction(operations: operations))
    guard case .committed(let revision) = result else {
      throw StoreConformance.Violation(description: "\(rule): \(result) without a condition")
    }
    return revision
  }

  func values(_ range: KeyRange? = nil) async throws -> [String: String] {
    let snapshot = try await store.read([range ?? all])
    return Dictionary(
      snapshot.values.map {
        (String($0.key.dropFirst(root.count)), String(decoding: $0.value, as: UTF8.self))
      }
    ) { $1 }
  }

  /// What a watch reports until so many events have come.
  func events(
    _ ranges: [KeyRange]? = nil, after revision: Int64, each revisions: [Int64] = [], count: Int,
    whileWatching body: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> [WatchBatch] {
    let (batches, continuation) = AsyncThrowingStream.makeStream(of: WatchBatch.self)
    let (store, ranges) = (store, ranges ?? [all])
    let starts = revisions.isEmpty ? ranges.map { _ in revision } : revisions
    let watch = Task {
      do throws(StoreError) {
        try await store.watch(ranges, afterEach: starts) { continuation.yield($0) }
      } catch {
        continuation.finish(throwing: error)
      }
    }
    defer { watch.cancel() }
    var found: [WatchBatch] = []
    for try await batch in batches {
      if found.isEmpty { try await body() }
      found.append(batch)
      if found.reduce(0, { $0 + $1.events.count }) >= count { break }
    }
    return found
  }
}
