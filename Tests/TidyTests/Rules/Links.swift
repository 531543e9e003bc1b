extension Rule {
  static let links = Rule(
    name: "relative links lead somewhere",
    trials: [
      .breaks(
        "a file that is not there, from a folder", at: "Documentation/A.md:2",
        "Documentation/A.md:3",
        in: [
          "Documentation/A.md": "[b](B.md)\n[readme](README.md)\n[up](../../README.md)",
          "Documentation/B.md": "", "README.md": "",
        ]),
      .keeps(
        "files, folders, anchors, addresses, code",
        in: [
          "README.md":
            "[a](Documentation/A.md#b) [d](Documentation/) [s](./Documentation/A.md \"title\")\n"
            + "[h](#here) [w](https://example.org/x) [m](mailto:a@example.org) `[a](b)`\n"
            + "```\n[a](gone.md)\n```",
          "Documentation/A.md": "[up](../README.md)",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isMarkdown).flatMap { file in
      Markdown(file).links.filter { link in
        !isAddress(link.text) && !tree.paths.contains(resolve(link.text, from: file.folder))
      }
      .map {
        Violation(
          path: file.path, line: $0.line, what: "the link to \($0.text) leads nowhere",
          mend: "Link to the file's present place, from this file's folder")
      }
    }
  }

  private static func isAddress(_ target: String) -> Bool {
    target.hasPrefix("#") || target.contains("://") || target.hasPrefix("mailto:")
  }

  /// The path from the root, `..` for anything outside of it; the root itself is `README.md`.
  private static func resolve(_ target: String, from folder: String) -> String {
    var parts = folder.split(separator: "/").map(String.init)
    for part in target.prefix(while: { $0 != "#" }).split(separator: "/") where part != "." {
      guard part == ".." else {
        parts.append(String(part))
        continue
      }
      guard parts.popLast() != nil else { return ".." }
    }
    return parts.isEmpty ? "README.md" : parts.joined(separator: "/")
  }
}
