import StrataDomains
import StrataPropertyList
import StrataStorage

/// A policy as administrators keep it: a property list or JSON in a directory for its layer.
///
/// `group:build/com.example.app.plist`, or `group/build/com.example.app.json`.
package struct PolicyFile: Equatable, Sendable {
  package let name: PolicyName
  package let content: PolicyContent

  package static let endings = [".plist", ".json"]

  /// - Parameter path: relative to the directory with all layers.
  package init(_ bytes: [UInt8], path: String) throws(FleetProblem) {
    name = try Self.name(of: path)
    let value: PropertyListValue
    do throws(PropertyListError) {
      value = try PropertyList.decode(bytes).value
    } catch {
      throw FleetProblem(path, error.description)
    }
    guard let entries = value.dictionaryValue else {
      throw FleetProblem(path, "a policy is a dictionary, with forced, recommended or once")
    }
    let (content, problems) = PolicyContent.decode(entries, for: name.layer, at: path)
    // Hosts skip what is wrong; whoever publishes can mend it.
    if let problem = problems.first { throw problem }
    self.content = content
  }

  /// The components of a path. Split by bytes: a slash counts before a combining character, too.
  package static func parts(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func name(of path: String) throws(FleetProblem) -> PolicyName {
    var parts = parts(of: path)
    guard parts.count >= 2, let file = parts.popLast(),
      let stem = endings.lazy.compactMap({ Path.stem(of: file, ending: $0) }).first
    else {
      throw FleetProblem(path, "a policy's path is LAYER/DOMAIN.plist or LAYER/DOMAIN.json")
    }
    guard let layer = PolicyLayer(parts.joined(separator: ":")) else {
      throw FleetProblem(
        path,
        "\(parts.joined(separator: "/")) is not a layer; use all, os:NAME, group:NAME, host:NAME "
          + "or user:NAME. In it, \(PlainName.rule)")
    }
    do throws(DomainIdentifierError) {
      let domain = try DomainIdentifier(stem, isSetUID: true)
      if let name = PolicyName(layer, domain) { return name }
    } catch {
      throw FleetProblem(path, error.description)
    }
    throw FleetProblem(path, "a domain that is a path can't have a policy")
  }
}
