/// The titles of the search list's places in the output.
extension Place {
  package var title: String {
    switch self {
    case .managedUser: "managed, this user"
    case .managed: "managed, all users"
    case .arguments: "arguments"
    case .applicationHost: "this user, this host"
    case .application: "this user"
    case .suites: "suite"
    case .globalHost: "global, this user, this host"
    case .global: "global, this user"
    case .applicationEveryone: "all users"
    case .suitesEveryone: "suite, all users"
    case .globalEveryone: "global, all users"
    case .recommended: "recommended"
    case .languages: "languages"
    case .registration: "registration"
    }
  }
}
