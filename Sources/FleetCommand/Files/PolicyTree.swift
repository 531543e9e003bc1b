import DefaultsCommand
import FleetModel
import StrataPropertyList
import StrataStorage

/// The policies in a file, in the directory of a layer, or in a directory with those of all layers.
struct PolicyTree {
  private(set) var files: [PolicyFile] = []
  private let console: any Console
  /// Where each policy was found, by its text.
  private var paths: [String: String] = [:]

  init(_ path: String, _ console: any Console) throws(Failure) {
    self.console = console
    var path = path[...]
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") {
      path = Substring(path.utf8.dropLast())
    }
    let root = String(path)
    if Self.isPolicy(root) {
      let layer = try Self.layerParts(of: Path.directory(of: root))
      try add(root, (layer + [Path.name(of: root)]).joined(separator: "/"))
    } else {
      try addDirectory(root, try ownParts(of: root))
    }
    if files.isEmpty {
      throw Failure(
        "\(ShownName.text(of: root)) has no policies; they are files named LAYER/DOMAIN.plist or "
          + "LAYER/DOMAIN.json, such as all/com.example.app.plist")
    }
  }

  private static let kinds = Set(PolicyLayer.Kind.allCases.map(\.rawValue))

  private static func isPolicy(_ name: String) -> Bool {
    PolicyFile.endings.contains { Path.stem(of: name, ending: $0) != nil }
  }

  private static func isLayer(_ name: String) -> Bool {
    kinds.contains(name) || name.utf8.contains(UInt8(ascii: ":"))
  }

  /// What the path of a directory says of the layer of what is in it. Where it has directories of
  /// layers, its own name is none, as in `/home/user`.
  private func ownParts(of path: String) throws(Failure) -> [String] {
    var layers: [String] = []
    for name in try console.names(in: path) ?? [] where Self.isLayer(name) {
      if try console.names(in: Path.join(path, name)) != nil { layers.append(name) }
    }
    if layers.isEmpty { return try Self.layerParts(of: path) }
    if layers == ["all"] { _ = try Self.layerParts(of: Path.join(path, "all")) }
    return []
  }

  /// The end of a directory's path that is a layer: `all`, `group:build` or `group/build`, or the
  /// kind of the layers in it. The nearest directories count: one farther up may be called `user`
  /// for another reason.
  private static func layerParts(of path: String) throws(Failure) -> [String] {
    let parts = PolicyFile.parts(of: path)
    guard let last = parts.last else { return [] }
    if last.utf8.contains(UInt8(ascii: ":")) { return [last] }
    if let kind = parts.dropLast().last, kind != "all", kinds.contains(kind) {
      if last != "all" { return [kind, last] }
      throw Failure(
        "\(ShownName.text(of: path)) can be the layer of all hosts or of the \(kind) called all; "
          + "name it \(kind):all, or put all into a directory that is not called \(kind)")
    }
    return kinds.contains(last) ? [last] : []
  }

  private mutating func addDirectory(_ path: String, _ parts: [String]) throws(Failure) {
    guard let names = try console.names(in: path) else {
      // Nothing, or a file of another name; reading it says which.
      _ = try console.read(path)
      return
    }
    for name in names.sorted() {
      let inner = Path.join(path, name)
      if Self.isPolicy(name) {
        try add(inner, (parts + [name]).joined(separator: "/"))
      } else if parts.isEmpty, Self.isLayer(name) {
        try addDirectory(inner, [name])
      } else if parts.count == 1, parts[0] != "all", Self.kinds.contains(parts[0]) {
        try addDirectory(inner, parts + [name])
      } else {
        try refuseLost(inner)
      }
    }
  }

  /// A directory of another name must not have policies that nobody would miss.
  private func refuseLost(_ path: String) throws(Failure) {
    guard Path.name(of: path).utf8.first != UInt8(ascii: "."),
      let lost = try console.names(in: path)?.sorted().first(where: Self.isPolicy)
    else { return }
    throw Failure(
      "\(ShownName.text(of: Path.join(path, lost))) is in no layer's directory; these are named "
        + "all, os:NAME, group:NAME, host:NAME or user:NAME")
  }

  private mutating func add(_ path: String, _ relative: String) throws(Failure) {
    let bytes = try console.read(path)
    let file: PolicyFile
    do throws(FleetProblem) {
      file = try PolicyFile(bytes, path: relative)
    } catch {
      throw Failure("\(path): \(error.text)")
    }
    if let other = paths.updateValue(path, forKey: file.name.text) {
      throw Failure("\(other) and \(path) are the same policy, \(file.name.text); remove one")
    }
    files.append(file)
  }
}
