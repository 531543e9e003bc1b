public import RevisionedStore

/// What the members say of themselves, and who may do what.
extension EtcdStore: StoreAdministration {
  /// Asks each endpoint by itself and all at once, for a few seconds at most.
  public func memberStatuses() async -> [MemberStatus] {
    let members = members
    return await withTaskGroup(of: (Int, Result<MemberStatus.Health, StoreError>).self) { group in
      for member in members.names.indices {
        group.addTask {
          do throws(StoreError) {
            return (member, .success(try await MemberInquiry(members, member).health()))
          } catch {
            return (member, .failure(error))
          }
        }
      }
      var found: [Int: Result<MemberStatus.Health, StoreError>] = [:]
      for await (member, health) in group { found[member] = health }
      return members.names.enumerated().map { member, name in
        MemberStatus(
          endpoint: name, health: found[member] ?? .failure(.unavailable("it was not asked")))
      }
    }
  }

  /// Of the files that the location names, as they were when they were read last.
  public func certificates() -> [CertificateStatus] { members.certificates }

  /// Creates the user, without a password, and a role of the same name if they are missing, and
  /// gives the role exactly these permissions.
  ///
  /// If it fails in between, the user can do less than was asked for: do it again.
  public func setAccess(
    ofUser user: String, reading: [KeyRange], writing: [KeyRange]
  ) async throws(StoreError) {
    try await AccessChange(members, user: user).set(
      Permission.all(reading: reading, writing: writing))
  }

  /// Deletes the user and its role, if they exist.
  public func removeAccess(ofUser user: String) async throws(StoreError) {
    try await AccessChange(members, user: user).remove()
  }
}
