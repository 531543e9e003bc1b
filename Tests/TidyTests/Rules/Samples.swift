extension Rule {
  private static let samplesFolder = "Examples/"

  static let samples = Rule(
    name: "each sample of the documentation is in a program that is built",
    trials: [
      .breaks(
        "a sample that is nowhere, and one that differs", at: "Sources/A/A.docc/B.md:1",
        "Sources/A/A.docc/B.md:4",
        in: [
          "Sources/A/A.docc/B.md": "```swift\na()\n```\n```swift\nb()\nc()\n```",
          "Examples/Samples/Sources/A.swift": "b()\nd()\nc()", "Benchmarks/A.swift": "a()",
        ]),
      .keeps(
        "samples that are there, however far they are set in; other languages, other files",
        in: [
          "Sources/A/A.docc/B.md": "```swift\nif a {\n  b()\n}\n```\n```sh\nls\n```",
          "Examples/Samples/Sources/A.swift": "func f() {\n  if a {\n    b()\n  }\n}",
          "README.md": "```swift\nc()\n```",
        ]),
    ]
  ) { tree in
    let programs = tree.files.filter { $0.isSwift && $0.path.hasPrefix(samplesFolder) }
      .map { text(of: $0.lines.map { String($0) }) }
    return tree.files.filter { $0.isMarkdown && $0.path.contains(".docc/") }.flatMap { file in
      blocks(in: Markdown(file)).filter { block in
        !programs.contains { $0.contains(text(of: block.lines)) }
      }
      .map {
        Violation(
          path: file.path, line: $0.start, what: "the sample is in no program that is built",
          mend: "Put it into \(samplesFolder), word for word")
      }
    }
  }

  /// The blocks of Swift, each with the line that it begins in.
  private static func blocks(in markdown: Markdown) -> [(start: Int, lines: [String])] {
    var blocks: [(start: Int, lines: [String])] = []
    var isOpen = false
    for line in markdown.lines {
      if line.isFence {
        isOpen = !isOpen && line.text.trimmed == "```swift"
        if isOpen { blocks.append((line.number, [])) }
      } else if isOpen {
        blocks[blocks.count - 1].lines.append(line.text)
      }
    }
    return blocks
  }

  private static func text(of lines: [String]) -> String {
    "\n" + lines.map { String($0.trimmed) }.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }
}
