import StrataDomains
import StrataStorage
import Testing

/// Where the files of each place are.
struct PlacesTests {
  private static let host = HostIdentifier(of: "machine")
  private static let ada = UserRecord(id: 1001, group: 100, name: "ada", home: "/home/ada")
  private static let bob = UserRecord(id: 1002, group: 100, name: "bob", home: "/home/bob")

  private func surroundings(
    _ environment: [String: String] = [:], user: UserRecord? = ada, userID: UInt32 = 1001,
    isSetUID: Bool = false
  ) -> ProcessSurroundings {
    ProcessSurroundings(
      environment: environment, userID: userID, user: .known(user), isSetUID: isSetUID,
      host: Self.host,
      executableName: "tool")
  }

  private func directory(
    _ environment: [String: String] = [:], user: UserRecord? = ada, isSetUID: Bool = false
  ) -> String? {
    Places(of: surroundings(environment, user: user, isSetUID: isSetUID)).userDirectory
  }

  private func find(_ name: String) -> UserRecord? {
    [Self.ada, Self.bob].first { $0.name == name }
  }

  // D-1, D-26
  @Test func `the list has fourteen places and the first wins`() {
    #expect(Place.allCases.map(\.rawValue) == Array(1...14))
    #expect(Place.managed < .arguments)
    #expect(Place.applicationHost < .application)
    #expect(Place.global < .applicationEveryone)
    #expect(Place.allCases.filter(\.isManaged) == [.managedUser, .managed])
    #expect(Place.allCases.filter(\.needsTrust) == [.managedUser, .managed, .recommended])
    #expect(Place.allCases.filter(\.isVolatile) == [.arguments, .languages, .registration])
  }

  // D-26
  @Test func `each place has its files`() throws {
    let places = Places(of: surroundings())
    let identifier = try DomainIdentifier("app", isSetUID: false)
    let (user, host) = ("/home/ada/.config/defaults", Self.host.text)
    let expected: [Place: [String]] = [
      .managedUser: [
        "/etc/defaults/managed/users/ada/app.plist",
        "/etc/defaults/managed/users/ada/.GlobalPreferences.plist",
      ],
      .managed: [
        "/etc/defaults/managed/app.plist", "/etc/defaults/managed/.GlobalPreferences.plist",
      ],
      .applicationHost: ["\(user)/ByHost/app.\(host).plist"],
      .application: ["\(user)/app.plist"],
      .suites: ["\(user)/ByHost/app.\(host).plist", "\(user)/app.plist"],
      .globalHost: ["\(user)/ByHost/.GlobalPreferences.\(host).plist"],
      .global: ["\(user)/.GlobalPreferences.plist"],
      .applicationEveryone: ["/etc/defaults/app.plist"],
      .suitesEveryone: ["/etc/defaults/app.plist"],
      .globalEveryone: ["/etc/defaults/.GlobalPreferences.plist"],
      .recommended: [
        "/etc/defaults/recommended/app.plist",
        "/etc/defaults/recommended/.GlobalPreferences.plist",
      ],
    ]
    for place in Place.allCases {
      let stores = places.stores(of: identifier, in: place)
      #expect(stores.map(\.plist) == expected[place, default: []], "\(place)")
      let isShared = stores.allSatisfy { $0.plist.hasPrefix("/etc/") }
      for store in stores { #expect((store.audience == .everyone) == isShared, "\(place)") }
    }
  }

  // D-8, D-26
  @Test func `a domain that is a file by its path is in one place only`() throws {
    let places = Places(of: surroundings())
    let identifier = try DomainIdentifier("/srv/x", isSetUID: false)
    for place in Place.allCases where ![.global, .globalHost, .globalEveryone].contains(place) {
      let isThere = place == .application || place == .suites
      let stores = places.stores(of: identifier, in: place).map(\.plist)
      // All other places have the global domain's files at most.
      let own = stores.filter { !$0.hasSuffix("/.GlobalPreferences.plist") }
      #expect(own == (isThere ? ["/srv/x.plist"] : []), "\(place)")
    }
  }

  // D-26
  @Test func `the user's directory is below the one that XDG names`() {
    #expect(directory(["XDG_CONFIG_HOME": "/cfg"]) == "/cfg/defaults")
    #expect(directory(["XDG_CONFIG_HOME": "/cfg//x/"]) == "/cfg/x/defaults")
    #expect(directory(["XDG_CONFIG_HOME": "/"]) == "/defaults")
    for ignored in ["cfg", "./cfg", "~/cfg", ""] {
      let environment = ["XDG_CONFIG_HOME": ignored, "HOME": "/h"]
      #expect(directory(environment) == "/h/.config/defaults", "\(ignored)")
    }
  }

  // D-26, D-27
  @Test func `the system directory can be replaced but not in a set-uid process`() {
    let environment = [Places.systemVariable: "/tmp/system/"]
    let replaced = Places(of: surroundings(environment))
    #expect(replaced.systemDirectory == "/tmp/system")
    #expect(replaced.isSystemDirectoryReplaced)
    for places in [
      Places(of: surroundings(environment, isSetUID: true)),
      Places(of: surroundings([Places.systemVariable: "system"])),
      Places(of: surroundings([Places.systemVariable: ""])), Places(of: surroundings()),
    ] {
      #expect(places.systemDirectory == "/etc/defaults")
      #expect(!places.isSystemDirectoryReplaced)
    }
  }

  // D-26
  @Test(arguments: ["..", ".", "", "a/b", "../../tmp/x"])
  func `a user's name leads nowhere else`(name: String) throws {
    let user = UserRecord(id: 1001, group: 100, name: name, home: "/home/ada")
    let places = Places(of: surroundings(user: user))
    let identifier = try DomainIdentifier("app", isSetUID: false)
    #expect(places.stores(of: identifier, in: .managedUser).isEmpty)
    #expect(Places(of: surroundings(user: nil)).stores(of: identifier, in: .managedUser).isEmpty)
  }

  // D-29
  @Test func `without a home in the environment there is that of the password database`() {
    #expect(directory(["HOME": "/h"]) == "/h/.config/defaults")
    #expect(directory(["HOME": "/"]) == "/.config/defaults")
    #expect(directory([:]) == "/home/ada/.config/defaults")
    for home in ["h", "./h", "~", ""] {
      #expect(directory(["HOME": home]) == nil, "a wrong home is not replaced: \(home)")
    }
  }

  // D-29
  @Test func `without any home there are no files of the user`() throws {
    let homeless = UserRecord(id: 1001, group: 100, name: "ada", home: "")
    #expect(directory(user: nil) == nil)
    #expect(directory(user: homeless) == nil)
    #expect(directory(["XDG_CONFIG_HOME": "/cfg"], user: nil) == "/cfg/defaults")
    let places = Places(of: surroundings(user: homeless))
    let identifier = try DomainIdentifier("app", isSetUID: false)
    let mine: [Place] = [.applicationHost, .application, .suites, .globalHost, .global]
    for place in Place.allCases where !place.isVolatile {
      #expect(places.stores(of: identifier, in: place).isEmpty == mine.contains(place), "\(place)")
    }
  }

  // D-26, D-29
  @Test func `a set-uid process believes the password database and not the environment`() {
    let environment = ["HOME": "/evil", "XDG_CONFIG_HOME": "/evil"]
    #expect(directory(environment, isSetUID: true) == "/home/ada/.config/defaults")
  }

  // D-9
  @Test func `root finds another user's files in that user's home`() throws {
    let root = surroundings(
      ["HOME": "/root", "XDG_CONFIG_HOME": "/root/cfg"],
      user: UserRecord(id: 0, group: 0, name: "root", home: "/root"), userID: 0)
    let places = try #require(
      Places(userNamed: "bob", in: root, find: find, isThere: { $0 == "/home/bob" }))
    #expect(places.userDirectory == "/home/bob/.config/defaults")
    #expect(places.user == Self.bob)
    let identifier = try DomainIdentifier("app", isSetUID: false)
    #expect(
      places.stores(of: identifier, in: .managedUser).first?.plist
        == "/etc/defaults/managed/users/bob/app.plist")
  }

  // D-9
  @Test func `others find their own files only`() {
    let mine = surroundings(["XDG_CONFIG_HOME": "/cfg"])
    #expect(Places(userNamed: "ada", in: mine, find: find)?.userDirectory == "/cfg/defaults")
    #expect(Places(userNamed: "bob", in: mine, find: find) == nil)
    #expect(Places(userNamed: "nobody-known", in: mine, find: find) == nil)
    let root = surroundings(userID: 0)
    #expect(Places(userNamed: "nobody-known", in: root, find: find) == nil)
  }

  // D-7
  @Test func `the application's identifier comes from the surroundings`() {
    let environment = [ApplicationIdentifier.variable: "com.example"]
    let named = surroundings(environment)
    #expect(named.applicationIdentifier(bundleIdentifier: nil).name == "com.example")
    #expect(named.applicationIdentifier(bundleIdentifier: "b").name == "b")
    let elevated = surroundings(environment, isSetUID: true)
    #expect(elevated.applicationIdentifier(bundleIdentifier: nil).name == "tool")
  }

  // M-10, D-8
  @Test func `a provenance is beside its file, whatever the name ends with`() {
    let path = Provenance.path(besidePlist: "/managed/a\u{600}.plist")
    #expect(FileName(path) == FileName("/managed/a\u{600}.provenance"))
  }
}
