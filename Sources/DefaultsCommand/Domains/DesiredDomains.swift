import StrataDomains
import StrataPropertyList
import StrataStorage

/// What the files of `apply` ask for: values by domain, and keys that a domain must not have.
///
/// A file maps names of domains to dictionaries. Two other names begin with a hyphen, as no
/// domain's does: `-currentHost` has the same for this host, and `-delete` maps domains to arrays
/// of keys.
struct DesiredDomains {
  /// What one domain must be.
  struct Desired {
    let domain: NamedDomain
    let host: HostChoice
    var values: [String: PropertyListValue] = [:]
    var removed: Set<String> = []
    /// Whether a file has a dictionary for it, so that all other keys are known to be unwanted.
    var isListed = false

    /// Adds what a file has under one of the domain's names.
    mutating func add(
      _ new: [String: PropertyListValue], as name: String
    ) throws(Failure) {
      for (key, value) in KeySorting.sorted(new) {
        let old = values.updateValue(value, forKey: key)
        guard old == nil || old == value else {
          throw Failure(
            "\(name): the file has another value for the key \(key) of the same domain, under "
              + "another of its names or of its host's")
        }
      }
      isListed = true
    }

    /// How the domain must change to be so.
    func difference(
      from now: [String: PropertyListValue], isPruned: Bool
    ) -> Difference {
      var wanted = isPruned && isListed ? values : now.merging(values) { $1 }
      for key in removed { wanted[key] = nil }
      return Difference(from: now, to: wanted)
    }
  }

  /// One domain, by whichever of its names and of its host's a file calls it: by its path.
  private struct Target: Hashable {
    let path: String
    /// Told apart where there is no path, without a home.
    let name: String

    init(_ domain: DomainIdentifier, _ host: HostChoice, in places: Places) {
      let place = host == .any ? Place.application : .applicationHost
      let plist = places.stores(of: domain, in: place).first?.plist
      path = plist ?? ""
      name = plist == nil ? domain.name : ""
    }
  }

  private static let hostKey = "-currentHost"
  private static let deleteKey = "-delete"

  private let session: Session
  private var all: [Target: Desired] = [:]

  init(_ session: Session) { self.session = session }

  /// All domains in the order of their names; of one for all hosts and for this one, that first.
  var domains: [Desired] {
    all.values.sorted { left, right in
      left.domain.identifier == right.domain.identifier
        ? left.host == .any
        : left.domain.shown.utf8.lexicographicallyPrecedes(right.domain.shown.utf8)
    }
  }

  /// Adds what a file asks for; of two files that set the same key, the later one counts.
  mutating func add(
    _ file: [String: PropertyListValue], from path: String
  ) throws(Failure) {
    var next = DesiredDomains(session)
    do throws(Failure) {
      try next.add(file, session.host, isNested: false)
      try next.check()
    } catch {
      throw Session.refusal(
        "cannot apply \(path == "-" ? "standard input" : path): \(error.text ?? "")")
    }
    for (target, new) in next.all {
      var old = all[target] ?? Desired(domain: new.domain, host: new.host)
      old.removed.subtract(new.values.keys)
      for key in new.removed { old.values[key] = nil }
      old.values.merge(new.values) { $1 }
      old.removed.formUnion(new.removed)
      old.isListed = old.isListed || new.isListed
      all[target] = old
    }
  }

  private mutating func add(
    _ entries: [String: PropertyListValue], _ host: HostChoice, isNested: Bool
  ) throws(Failure) {
    for (name, value) in KeySorting.sorted(entries) {
      switch name {
      case Self.hostKey where !isNested:
        try add(try Self.dictionary(value, name, of: "domains"), .this, isNested: true)
      case Self.deleteKey:
        for (name, keys) in try Self.dictionary(value, name, of: "domains") {
          let keys = try Self.keys(keys, name)
          try change(name, host) { $0.removed.formUnion(keys) }
        }
      default:
        let values = try Self.dictionary(value, name, of: "keys and values")
        try change(name, host) { (desired) throws(Failure) in
          try desired.add(values, as: name)
        }
      }
    }
  }

  private mutating func change(
    _ name: String, _ host: HostChoice, _ body: (inout Desired) throws(Failure) -> Void
  ) throws(Failure) {
    let isFlag = name.utf8.first == UInt8(ascii: "-")
    guard !isFlag || NamedDomain.globalNames.contains(name) else {
      throw Failure("\(name) is not a domain")
    }
    let domain = try session.domain(typed: name)
    if host != .any, domain.identifier.path != nil {
      throw Failure("\(name) is a file, which is the same for all hosts")
    }
    try body(
      &all[
        Target(domain.identifier, host, in: session.process.places),
        default: Desired(domain: domain, host: host)])
  }

  /// Checks what can be known before anything is changed.
  private func check() throws(Failure) {
    for desired in domains {
      let name = desired.domain.shown
      if let key = desired.removed.first(where: { desired.values[$0] != nil }) {
        throw Failure("\(name): the key \(key) is both set and deleted")
      }
      let changes = ChangeSet(setting: desired.values)
      if let refusal = Store.refusal(of: changes, name) { throw Failure("\(name): \(refusal)") }
    }
  }

  private static func dictionary(
    _ value: PropertyListValue, _ name: String, of content: String
  ) throws(Failure) -> [String: PropertyListValue] {
    guard case .dictionary(let entries) = value else {
      throw Failure(
        "\(name) is of type \(ValueType.name(of: value)), not a dictionary of \(content)")
    }
    return entries
  }

  private static func keys(
    _ value: PropertyListValue, _ name: String
  ) throws(Failure) -> [String] {
    guard case .array(let elements) = value else {
      throw Failure(
        "\(deleteKey): \(name) is of type \(ValueType.name(of: value)), not an array of keys")
    }
    return try elements.map { (element) throws(Failure) in
      guard case .string(let key) = element else {
        throw Failure("\(deleteKey): \(name) has a key that is not a string")
      }
      return key
    }
  }
}
