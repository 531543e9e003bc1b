import RevisionedStore

/// Sets a key to 1, 2, 3 and so on, each exactly once, whatever becomes of the servers.
struct NumberWriter {
  private let key: String
  private let store: any RevisionedStore
  private var number = 0
  private var revision: Int64 = 0

  init(_ store: any RevisionedStore, _ key: String) {
    self.store = store
    self.key = key
  }

  mutating func write(upTo last: Int) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while number < last {
      guard ContinuousClock.now < end else { throw NotInTime() }
      do throws(StoreError) {
        let result = try await store.commit(
          StoreTransaction(
            conditions: [.revision(of: key, is: revision)],
            operations: [.put(key: key, value: Array("\(number + 1)".utf8))]))
        switch result {
        case .committed(let made): (number, revision) = (number + 1, made)
        case .conflict: try await look()
        }
      } catch {
        // Whether it was made is seen at the next attempt, by the condition.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Goes on with the number that is there.
  mutating func resume() async throws(StoreError) {
    guard let value = try await store.read([.key(key)]).values.first,
      let found = Int(String(decoding: value.value, as: UTF8.self))
    else { return }
    (number, revision) = (found, value.revision)
  }

  /// An attempt whose end was not known was made after all.
  private mutating func look() async throws(StoreError) {
    guard let value = try await store.read([.key(key)]).values.first,
      let found = Int(String(decoding: value.value, as: UTF8.self)), found == number + 1
    else { return }
    (number, revision) = (found, value.revision)
  }
}
