package import StrataPropertyList
package import StrataStorage

/// Where the values of an administrator's file come from, if a fleet's agent has written it.
///
/// It is kept in a file beside the property list, `ID.provenance`, a property list as well. It is
/// written first: while the two differ, what it says of a key counts only if it has the value that
/// the property list has.
package struct Provenance: Equatable, Sendable {
  /// Why a key has a value.
  package struct Entry: Equatable, Sendable {
    package var value: PropertyListValue
    /// `LAYER/DOMAIN`.
    package var policy: String
    package var version: Int64
    package var author: String
    package var reason: String
    package var published: PropertyListDate?
    package var until: PropertyListDate?
    /// The policies whose values do not count because of this one.
    package var overrode: [String]

    package init(
      value: PropertyListValue, policy: String, version: Int64, author: String, reason: String,
      published: PropertyListDate? = nil, until: PropertyListDate? = nil, overrode: [String] = []
    ) {
      self.value = value
      self.policy = policy
      self.version = version
      self.author = author
      self.reason = reason
      self.published = published
      self.until = until
      self.overrode = overrode
    }
  }

  package var entries: [String: Entry]

  package init(_ entries: [String: Entry] = [:]) { self.entries = entries }

  /// Where it is, for a property list at this path.
  package static func path(besidePlist plist: String) -> String {
    (Path.stem(of: plist, ending: ending) ?? plist) + ".provenance"
  }

  private static let ending = ".plist"

  /// What is known of an administrator's file; nil if no agent has written it, or if what it has
  /// written can't be read.
  package static func read(besidePlist plist: String) -> Provenance? {
    do throws(StorageError) {
      return try read(besidePlist: plist, on: Disk())
    } catch {
      // The values count without it: what is missing is only why.
      return nil
    }
  }

  /// The same for who decides by it: fails if the disk does. Bytes that are no provenance are none.
  package static func read(
    besidePlist plist: String, on disk: Disk
  ) throws(StorageError) -> Provenance? {
    guard let bytes = try WholeFile(path(besidePlist: plist), on: disk).read() else { return nil }
    do throws(PropertyListError) {
      return Provenance(decoding: try PropertyList.decode(bytes).value)
    } catch {
      return nil
    }
  }

  /// Why a key has this value; nil if it has it for another reason.
  package func entry(forKey key: String, value: PropertyListValue) -> Entry? {
    guard let entry = entries[key], entry.value == value else { return nil }
    return entry
  }
}

/// Its form on the disk.
extension Provenance {
  package var encoded: PropertyListValue {
    .dictionary(entries.mapValues { .dictionary($0.encoded) })
  }

  package init?(decoding value: PropertyListValue) {
    guard let entries = value.dictionaryValue else { return nil }
    self.init(
      entries.compactMapValues { entry in entry.dictionaryValue.flatMap(Entry.init(decoding:)) })
  }
}

extension Provenance.Entry {
  /// Which policy it is and why, in a line for people.
  package var summary: String {
    let start = "policy \(policy), version \(version), by \(author.isEmpty ? "unknown" : author)"
    return reason.isEmpty ? start : "\(start): \(reason)"
  }

  /// All but the value, for those who show it in a way of their own.
  package var described: [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [
      "policy": .string(policy), "version": .integer(version), "author": .string(author),
      "reason": .string(reason), "overrode": .array(overrode.map { .string($0) }),
    ]
    entries["published"] = published.map { .date($0) }
    entries["until"] = until.map { .date($0) }
    return entries
  }

  var encoded: [String: PropertyListValue] {
    described.merging(["value": value]) { $1 }
  }

  init?(decoding entries: [String: PropertyListValue]) {
    guard let value = entries["value"], case .string(let policy) = entries["policy"],
      case .integer(let version) = entries["version"]
    else { return nil }
    self.init(
      value: value, policy: policy, version: version,
      author: entries["author"]?.stringValue ?? "", reason: entries["reason"]?.stringValue ?? "",
      overrode: entries["overrode"]?.stringArrayValue ?? [])
    if case .date(let date) = entries["published"] { published = date }
    if case .date(let date) = entries["until"] { until = date }
  }
}
