import Foundation

/// The package as the rules see it: the texts they read and the name of everything else.
struct Tree: Sendable {
  let files: [SourceFile]
  /// Every file and every folder, from the root.
  let paths: Set<String>

  /// A tree made for a test, of these texts.
  init(_ texts: [String: String]) {
    self.init(texts: texts, others: [])
  }

  private init(texts: [String: String], others: [String]) {
    files = texts.map { SourceFile(path: $0, text: $1) }.sorted { $0.path < $1.path }
    var paths = Set(others).union(texts.keys)
    for path in paths {
      let parts = path.split(separator: "/")
      for count in parts.indices.dropFirst() {
        paths.insert(parts[..<count].joined(separator: "/"))
      }
    }
    self.paths = paths
  }

  func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }
}

extension Tree {
  /// The package that these tests belong to, read once.
  static let package = Result { try Tree(reading: root) }

  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let unread: Set = [".build", ".git", ".swiftpm", ".docc-build"]
  private static let readSuffixes = [".swift", ".md", ".c", ".h", ".py"]

  private init(reading root: URL) throws {
    var texts: [String: String] = [:]
    var others: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      let url = folder.isEmpty ? root : root.appendingPathComponent(folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
      where !Self.unread.contains(name) {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        let values = try root.appendingPathComponent(path)
          .resourceValues(forKeys: [.isDirectoryKey])
        if values.isDirectory == true {
          folders.append(path)
        } else if Self.readSuffixes.contains(where: name.hasSuffix) {
          texts[path] = try String(
            contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        } else {
          others.append(path)
        }
      }
    }
    self.init(texts: texts, others: others)
  }
}
