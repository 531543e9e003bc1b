import RevisionedStore

/// Gives a user and its role what they should have, whatever they have.
///
/// Each request can be repeated without harm, so one whose end is unknown is sent to another
/// member.
struct AccessChange {
  private let members: Members
  /// The role's name as well.
  private let user: String
  private static let permissionsMax = 10_000

  init(_ members: Members, user: String) throws(StoreError) {
    guard user != "root", !user.isEmpty else {
      throw .refused("\(user.isEmpty ? "an empty name" : user) can't be given or lose permissions")
    }
    self.members = members
    self.user = user
  }

  func set(_ permissions: [Permission]) async throws(StoreError) {
    try await ask("UserAdd", unless: "user name already exists") { writer in
      writer.add(1, user)
      // It is known by its certificate.
      writer.add(3) { options in options.add(1, true) }
    }
    try await ask("RoleAdd", unless: "role name already exists") { $0.add(1, user) }
    let old = try await granted()
    // First what it should not have: an end in between leaves too little, never too much.
    for permission in old where !permissions.contains(where: permission.isSameRange) {
      try await ask("RoleRevokePermission", unless: "permission is not granted") { writer in
        writer.add(1, user)
        writer.add(2, permission.key)
        writer.add(3, permission.end)
      }
    }
    for permission in permissions where !old.contains(permission) {
      try await ask("RoleGrantPermission") { writer in
        writer.add(1, user)
        writer.add(2, permission.bytes)
      }
    }
    try await ask("UserGrantRole") { writer in
      writer.add(1, user)
      writer.add(2, user)
    }
  }

  func remove() async throws(StoreError) {
    try await ask("UserDelete", unless: "user name not found") { $0.add(1, user) }
    try await ask("RoleDelete", unless: "role name not found") { $0.add(1, user) }
  }

  private func granted() async throws(StoreError) -> [Permission] {
    let answer = try await ask("RoleGet") { $0.add(1, user) }
    var found: [Permission] = []
    try ProtobufReader.read(answer[...]) { field, value throws(StoreError) in
      guard field == 2 else { return }
      guard found.count < Self.permissionsMax else {
        throw .invalidAnswer("the role \(user) has more than \(found.count) permissions")
      }
      found.append(try Permission(wire: value.bytes))
    }
    return found
  }

  /// - Parameter expected: part of the server's reason that says that nothing needs to be done.
  @discardableResult
  private func ask(
    _ name: String, unless expected: String? = nil, _ build: (inout ProtobufWriter) -> Void
  ) async throws(StoreError) -> [UInt8] {
    do throws(StoreError) {
      return try await members.ask(
        "/etcdserverpb.Auth/" + name, EtcdMessages.fields(build), isChange: false)
    } catch {
      if let expected, case .refused(let text) = error, text.contains(expected) { return [] }
      throw error
    }
  }
}
