import EtcdClient
import RevisionedStore

/// Three members of a real etcd.
struct EtcdCluster {
  let members: [EtcdServer]

  init(_ members: [EtcdServer]) async throws {
    self.members = members
    for member in members { try member.start(among: members) }
    for member in members { _ = try await member.store() }
  }

  init() async throws {
    try await self.init(["one", "two", "three"].map { try EtcdServer(name: $0) })
  }

  /// - Parameter first: the member that is asked as long as it answers.
  func store(first: Int = 0) throws -> EtcdStore {
    let names = members.map(\.endpoint)
    return try EtcdStore(StoreLocation(endpoints: Array(names[first...] + names[..<first])))
  }

  func leader() async throws -> Int {
    let statuses = try store()
    return try await awaited { () async -> Int? in
      await statuses.memberStatuses().firstIndex { status in
        if case .success(let health) = status.health { health.isLeader } else { false }
      }
    }
  }
}
