/// The rules, in the order of the protocol's members.
extension StoreConformance {
  static let reading = [
    Rule("a read finds exactly what is in its ranges, sorted by key") { trial in
      for name in ["b", "a", "c/x", "d"] { try await trial.put(name, name) }
      let snapshot = try await trial.store.read([
        .key(trial.root + "a"), .key(trial.root + "none"), .prefix(trial.root + "c/"),
      ])
      try trial.expectEqual(snapshot.values.map(\.key), [trial.root + "a", trial.root + "c/x"])
      try trial.expectEqual(try await trial.values().count, 4)
    },
    Rule("a value has the revision that set it") { trial in
      let first = try await trial.put("a", "1")
      let second = try await trial.put("b", "1")
      try trial.expect(second > first, "\(second) after \(first)")
      let snapshot = try await trial.store.read([trial.all])
      try trial.expectEqual(snapshot.values.map(\.revision), [first, second])
      try trial.expect(snapshot.revision >= second, "the snapshot is of \(snapshot.revision)")
    },
    Rule("values are any bytes, and may be empty") { trial in
      let bytes = [UInt8](0...255)
      try await trial.commit([
        .put(key: trial.root + "a", value: bytes), .put(key: trial.root + "b", value: []),
      ])
      let snapshot = try await trial.store.read([trial.all])
      try trial.expectEqual(snapshot.values.map(\.value), [bytes, []])
    },
  ]

  static let committing = [
    Rule("all operations of a transaction have one revision") { trial in
      try await trial.put("old", "1")
      let revision = try await trial.commit([
        .put(key: trial.root + "a", value: [1]), .put(key: trial.root + "b", value: [2]),
        .delete(.key(trial.root + "old")),
      ])
      let snapshot = try await trial.store.read([trial.all])
      try trial.expectEqual(snapshot.values.map(\.key), [trial.root + "a", trial.root + "b"])
      try trial.expectEqual(snapshot.values.map(\.revision), [revision, revision])
    },
    Rule("a transaction whose condition does not hold changes nothing") { trial in
      let revision = try await trial.put("a", "1")
      for condition: StoreTransaction.Condition in [
        .revision(of: trial.root + "a", is: 0), .revision(of: trial.root + "a", is: revision + 1),
        .revision(of: trial.root + "b", is: revision),
        .unchanged(trial.all, since: revision - 1),
      ] {
        let result = try await trial.store.commit(
          StoreTransaction(
            conditions: [condition], operations: [.put(key: trial.root + "a", value: [9])]))
        guard case .conflict = result else {
          throw Violation(description: "\(condition) held: \(result)")
        }
      }
      try trial.expectEqual(try await trial.values(), ["a": "1"])
    },
    Rule("a transaction whose conditions hold is made") { trial in
      let revision = try await trial.put("a", "1")
      let result = try await trial.store.commit(
        StoreTransaction(
          conditions: [
            .revision(of: trial.root + "a", is: revision), .revision(of: trial.root + "b", is: 0),
            .unchanged(trial.all, since: revision),
          ], operations: [.put(key: trial.root + "b", value: [0x32])]))
      guard case .committed = result else { throw Violation(description: "\(result)") }
      try trial.expectEqual(try await trial.values(), ["a": "1", "b": "2"])
    },
    Rule("of two that change the same revision, one has a conflict") { trial in
      let revision = try await trial.put("a", "0")
      let (store, key) = (trial.store, trial.root + "a")
      let results = try await withThrowingTaskGroup(of: CommitResult.self) { group in
        for number in 1...8 {
          group.addTask {
            try await store.commit(
              StoreTransaction(
                conditions: [.revision(of: key, is: revision)],
                operations: [.put(key: key, value: [UInt8(number)])]))
          }
        }
        return try await group.reduce(into: [CommitResult]()) { $0.append($1) }
      }
      let made = results.count { if case .committed = $0 { true } else { false } }
      try trial.expectEqual(made, 1)
    },
    Rule("129 operations, a key twice, or too many bytes are refused, and nothing is changed") {
      trial in
      let many = (0..<129).map {
        StoreTransaction.Operation.put(key: "\(trial.root)\($0)", value: [])
      }
      let twice = [many[0], many[0]]
      let large = [
        StoreTransaction.Operation.put(
          key: trial.root + "a", value: [UInt8](repeating: 1, count: 1_600_000))
      ]
      for operations in [many, twice, large] {
        try await trial.expectError { error in
          switch error {
          case .tooLarge, .refused: true
          default: false
          }
        } _: { () async throws(StoreError) in
          _ = try await trial.store.commit(StoreTransaction(operations: operations))
        }
      }
      try trial.expectEqual(try await trial.values(), [:])
      try await trial.commit(many.dropLast())
      try trial.expectEqual(try await trial.values().count, 128)
    },
  ]

  static let watching = [
    Rule("a watch reports each change after its revision, once and in order") { trial in
      let start = try await trial.put("a", "0")
      try await trial.put("a", "1")
      let batches = try await trial.events(after: start, count: 4) {
        try await trial.put("b", "2")
        try await trial.commit([.delete(.key(trial.root + "a"))])
        try await trial.put("b", "3")
      }
      let events = batches.flatMap(\.events)
      try trial.expectEqual(events.count, 4)
      let texts = events.map { event in
        switch event {
        case .put(let value): String(decoding: value.value, as: UTF8.self)
        case .deleted: "deleted"
        }
      }
      try trial.expectEqual(texts, ["1", "2", "deleted", "3"])
      let revisions = events.map(\.revision)
      try trial.expectEqual(revisions, revisions.sorted())
      try trial.expect(Set(revisions).count == 4, "revisions are repeated: \(revisions)")
    },
    Rule("a watch of several ranges reports the changes of a transaction in each, once") { trial in
      let start = try await trial.put("x", "0")
      let ranges = ["a", "b", "c"].map { KeyRange.prefix(trial.root + $0) }
      let batches = try await trial.events(ranges, after: start, count: 3) {
        try await trial.commit(
          ["c1", "a1", "d1", "b1"].map { .put(key: trial.root + $0, value: []) })
      }
      let keys = batches.flatMap(\.events).map { event in
        switch event {
        case .put(let value): String(value.key.dropFirst(trial.root.count))
        case .deleted: "deleted"
        }
      }
      try trial.expectEqual(keys.sorted(), ["a1", "b1", "c1"])
    },
    Rule("a watch of several ranges goes on where it ended, and repeats nothing") { trial in
      var last = try await trial.put("x", "0")
      let ranges = ["a", "b"].map { KeyRange.prefix(trial.root + $0) }
      var keys: [String] = []
      var each: [Int64] = []
      for name in ["a1", "a2", "b1", "a3"] {
        let batches = try await trial.events(ranges, after: last, each: each, count: 1) {
          try await trial.put(name, "")
        }
        for case .put(let value) in batches.flatMap(\.events) {
          keys.append(String(value.key.dropFirst(trial.root.count)))
        }
        last = batches.last?.revision ?? last
        each = batches.last?.revisions ?? each
      }
      try trial.expectEqual(keys, ["a1", "a2", "b1", "a3"])
    },
    Rule("watches of the same ranges do not know of each other") { trial in
      let start = try await trial.put("x", "0")
      let ranges = ["a", "b"].map { KeyRange.prefix(trial.root + $0) }
      try await trial.put("a1", "")
      for _ in 0..<2 {
        let batches = try await trial.events(ranges, after: start, count: 1)
        try trial.expectEqual(batches.flatMap(\.events).map(\.key), [trial.root + "a1"])
      }
    },
    Rule("a revision that can't be is refused") { trial in
      for revision in [Int64.min, -1, .max] {
        try await trial.expectError({ if case .refused = $0 { true } else { false } }) {
          () async throws(StoreError) in
          try await trial.store.watch([trial.all], after: revision) { _ in }
        }
      }
    },
    Rule("a revision that the store has not come to is one of another store") { trial in
      let last = try await trial.put("a", "0")
      let start = last + 1_000_000
      try await trial.expectError({ if case .rebuilt = $0 { true } else { false } }) {
        () async throws(StoreError) in
        try await trial.store.watch([trial.all], after: start) { _ in }
      }
    },
    Rule("a watch is of the store that was read") { trial in
      let start = try await trial.put("a", "0")
      let snapshot = try await trial.store.read([trial.all])
      let batches = try await trial.events(after: start, count: 1) {
        try await trial.put("a", "1")
      }
      try trial.expectEqual(batches.map(\.store), batches.map { _ in snapshot.store })
    },
    Rule("the first batch says that the watch works, even if nothing has changed") { trial in
      let start = try await trial.put("a", "0")
      let batches = try await trial.events(after: start, count: 0)
      try trial.expectEqual(batches.count, 1)
      try trial.expectEqual(batches[0].events.count, 0)
    },
    Rule("a watch goes on after the revision of its last batch, and misses nothing") { trial in
      var last = try await trial.put("n", "0")
      var seen: [String] = []
      for round in 0..<5 {
        try await trial.put("n", "\(2 * round)")
        try await trial.put("n", "\(2 * round + 1)")
        for batch in try await trial.events(after: last, count: 2) {
          seen += batch.events.map { event in
            if case .put(let value) = event {
              String(decoding: value.value, as: UTF8.self)
            } else {
              "deleted"
            }
          }
          last = batch.revision
        }
      }
      try trial.expectEqual(seen, (0..<10).map(String.init))
    },
    Rule("a watch whose task is cancelled ends") { trial in
      let (store, ranges) = (trial.store, [trial.all])
      let start = try await trial.put("a", "0")
      let watch = Task { () -> StoreError? in
        do throws(StoreError) {
          try await store.watch(ranges, after: start) { _ in }
        } catch {
          return error
        }
      }
      watch.cancel()
      try trial.expectEqual(await watch.value, .cancelled)
    },
  ]

  static let leases = [
    Rule("the keys of a lease are deleted with it, and watches report that") { trial in
      let lease = try await trial.store.grantLease(seconds: 60)
      let start = try await trial.put("a", "1", lease: lease)
      try await trial.store.renewLease(lease)
      let batches = try await trial.events(after: start, count: 1) {
        try await trial.store.revokeLease(lease)
      }
      let event = batches.flatMap(\.events).first
      if case .deleted(let key, _) = event {
        try trial.expectEqual(key, trial.root + "a")
      } else {
        try trial.expect(false, "the event is \(String(describing: event))")
      }
      try trial.expectEqual(try await trial.values(), [:])
    },
    Rule("a lease that has ended can't be used") { trial in
      let lease = try await trial.store.grantLease(seconds: 60)
      try await trial.store.revokeLease(lease)
      try await trial.expectError {
        $0 == .noLease
      } _: { () async throws(StoreError) in
        try await trial.store.renewLease(lease)
      }
      try await trial.expectError {
        $0 == .noLease
      } _: { () async throws(StoreError) in
        _ = try await trial.store.commit(
          StoreTransaction(operations: [.put(key: trial.root + "a", value: [], lease: lease)]))
      }
    },
  ]
}
