import RevisionedStore

/// Asks one member about itself.
struct MemberInquiry {
  private let members: Members
  private let member: Int

  init(_ members: Members, _ member: Int) {
    self.members = members
    self.member = member
  }

  private var limit: Duration { members.patience.inquiry }

  func health() async throws(StoreError) -> MemberStatus.Health {
    let status = try MemberAnswer(try await ask("Maintenance/Status", []))
    return MemberStatus.Health(
      version: status.version, databaseBytes: status.databaseBytes,
      databaseBytesInUse: status.databaseBytesInUse, quotaBytes: status.quotaBytes,
      isLearner: status.isLearner,
      isLeader: status.leader != 0 && status.leader == status.header.member,
      hasLeader: status.leader != 0, revision: status.header.revision,
      // A learner refuses all watches.
      compactRevision: status.isLearner ? -1 : try await compactRevision(),
      alarms: try await alarms(status))
  }

  private func ask(
    _ method: String, _ request: [UInt8]
  ) async throws(StoreError) -> [UInt8] {
    try await members.ask(
      "/etcdserverpb." + method, request, of: member, isChange: false, within: limit)
  }

  /// The members agree about alarms, for which they need a leader; without one, what the status
  /// says has to do.
  private func alarms(_ status: MemberAnswer) async throws(StoreError) -> [String] {
    guard status.leader != 0 else { return status.alarms }
    let answer: [UInt8]
    do throws(StoreError) {
      answer = try await ask("Maintenance/Alarm", [])
    } catch {
      if case .cancelled = error { throw error }
      return status.alarms
    }
    var found: [String] = []
    try ProtobufReader.read(answer[...]) { field, value throws(StoreError) in
      guard field == 2 else { return }
      let alarm = try RaisedAlarm(wire: value.bytes)
      if alarm.member == status.header.member, found.count < MemberAnswer.alarmsMax {
        found.append(alarm.name)
      }
    }
    return found
  }

  /// etcd says it only to those who ask for what is gone. A read at the first revision is refused
  /// if so, without a number; a watch from there is told the number.
  ///
  /// - Returns: 0 if nothing was compacted, and -1 if this identity may not know.
  private func compactRevision() async throws(StoreError) -> Int64 {
    let first: Int64 = 1
    do throws(StoreError) {
      _ = try await ask(
        "KV/Range",
        EtcdMessages.fields { writer in
          writer.add(1, [0])
          writer.add(4, first)
          writer.add(7, true)  // by this member alone
          writer.add(9, true)  // only the number of keys
        })
      return 0
    } catch {
      switch error {
      case .compacted: break
      case .permissionDenied: return -1
      default: throw error
      }
    }
    let call = try await members.stream("/etcdserverpb.Watch/Watch", member, within: limit)
    defer { call.cancel() }
    if await call.send(EtcdMessages.watch([0], from: first)) {
      while let bytes = await call.receive() {
        let answer = try WatchAnswer(bytes)
        if answer.compactRevision > 0 { return answer.compactRevision }
        if answer.isCanceled { throw EtcdErrors.error(ofCanceledWatch: answer.reason) }
      }
    }
    throw EtcdErrors.error(of: await call.finish(), isChange: false)
  }
}
