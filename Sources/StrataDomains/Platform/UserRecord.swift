import CStrata

/// A user's record in the password database.
package struct UserRecord: Equatable, Sendable {
  package let id: UInt32
  package let group: UInt32
  package let name: String
  package let home: String

  package init(id: UInt32, group: UInt32, name: String, home: String) {
    self.id = id
    self.group = group
    self.name = name
    self.home = home
  }

  /// The user with this name; nil if there is none.
  package static func named(_ name: String) -> UserRecord? {
    // A C string ends at a NUL, so the lookup would be for another name.
    guard !name.utf8.contains(0) else { return nil }
    var user = strata_user()
    return strata_user_named(name, &user) == 1 ? UserRecord(releasing: user) : nil
  }

  /// The user with this ID; nil if there is none, as in many containers.
  package static func withID(_ id: UInt32) -> UserRecord? {
    var user = strata_user()
    return strata_user_with_id(id, &user) == 1 ? UserRecord(releasing: user) : nil
  }

  // Safety: the strings are copied before their memory is released, once, here.
  private init(releasing user: strata_user) {
    var user = user
    id = user.id
    group = user.group
    name = user.name.map { String(cString: $0) } ?? ""
    home = user.home.map { String(cString: $0) } ?? ""
    strata_user_release(&user)
  }
}
