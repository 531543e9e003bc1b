import CStrata
import StrataStorage
import StrataSystem

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

  /// What a look into the password database comes to.
  enum Lookup: Equatable, Sendable {
    case found(UserRecord)
    /// There is no such user.
    case none
    /// Nobody can say at the moment.
    case failed(Int32)
  }

  /// The user with this name; nil if there is none.
  package static func named(_ name: String) -> UserRecord? {
    // A C string ends at a NUL, so the lookup would be for another name.
    guard !name.utf8.contains(0) else { return nil }
    var user = strata_user()
    return record(lookup(strata_user_named(name, &user), user), of: name)
  }

  /// The user with this ID; there is none in many containers.
  static func withID(_ id: UInt32) -> Lookup {
    var user = strata_user()
    return lookup(strata_user_with_id(id, &user), user)
  }

  private static func lookup(_ code: Int32, _ user: strata_user) -> Lookup {
    if code == 1 { return .found(UserRecord(releasing: user)) }
    return code == 0 ? .none : .failed(-code)
  }

  /// Nil, with a line in the log if the lookup failed.
  static func record(_ lookup: Lookup, of user: String) -> UserRecord? {
    switch lookup {
    case .found(let record): return record
    case .none: return nil
    case .failed(let code):
      Log.writeLater("could not look up user \(user): \(String(cString: strerror(code)))")
      return nil
    }
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
