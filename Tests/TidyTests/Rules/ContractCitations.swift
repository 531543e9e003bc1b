extension Rule {
  /// The letters of the contract's sections, also of those that are not written yet.
  private static let letters = "VDOSCBMPW"

  static let contractCitations = Rule(
    name: "the contract and the tests cite the same numbers",
    trials: [
      .breaks(
        "a promise without a test", at: "\(contract)/4.md:2",
        in: ["\(contract)/4.md": "- **S-1** A.\n- **S-1a** B.", "Tests/A/A.swift": "// S-1"]),
      .breaks(
        "citations of what is not promised", at: "Tests/A/A.swift:1", "Tests/A/A.swift:2",
        "Tests/A/A.swift:3",
        in: [
          "\(contract)/4.md": "- **S-1** A.\n- **S-2** B.",
          "Tests/A/A.swift": "// S-1, S-3\n// S-2…S-4\n// V-1",
        ]),
      .breaks(
        "a number given twice, and a line of another form", at: "\(contract)/4.md:2",
        "\(contract)/4.md:3",
        in: [
          "\(contract)/4.md": "- **S-1** A.\n- **S-1** B.\n- **S-2 Bold.** C.",
          "Tests/A/A.swift": "// S-1",
        ]),
      .breaks(
        "cited by the tests of the form only", at: "\(contract)/8.md:1",
        in: ["\(contract)/8.md": "- **P-1** A.", "Tests/TidyTests/A.swift": "// P-1"]),
      .keeps(
        "single numbers, ranges, strings; names that look alike",
        in: [
          "\(contract)/4.md": (9...12).map { "- **S-\($0)** A." }.joined(separator: "\n"),
          "\(contract)/8.md": "- **P-1** A.\n- **P-2** A.\n- **P-2a** A.",
          "\(contract)/README.md": "- **S-1** is an example.",
          "\(contract)/7.md": "- **M-1** A.",
          "Fleet/Tests/A/A.swift": "// M-1",
          "Settings/Tests/test_a.py": "# P-1",
          "Tests/A/A.swift": "// S-9…S-12, TS-7, S-9xy\n@Test(\"P-1…2: reads\")\n/* P-2a */",
        ]),
    ]
  ) { tree in
    let defined = definitions(in: tree)
    let promises = defined.promises.map(\.name)
    let citations = tree.files.filter(\.isTestOfPromises).flatMap {
      Self.citations(in: $0, promises: promises)
    }
    let cited = Set(citations.flatMap(\.names))
    return defined.violations
      + defined.promises.filter { !cited.contains($0.name) }.map {
        Violation(
          path: $0.path, line: $0.line, what: "no test cites \($0.name)",
          mend: "Write a test that fails when the promise is broken, its number beside it")
      }
      + citations.filter { !Set($0.names).isSubset(of: promises) }.map {
        let unknown = $0.names.filter { !promises.contains($0) }.joined(separator: ", ")
        return Violation(
          path: $0.path, line: $0.line, what: "the contract has no \(unknown)",
          mend: "Cite the number that the test proves, or add the promise to \(contract)/")
      }
  }

  private static let contract = "Documentation/Contract"

  private struct Promise {
    let name: String
    let path: String
    let line: Int
  }

  private struct Citation {
    let names: [String]
    let path: String
    let line: Int
  }

  private static func definitions(
    in tree: Tree
  ) -> (promises: [Promise], violations: [Violation]) {
    var promises: [Promise] = []
    var violations: [Violation] = []
    for file in tree.files
    where file.isMarkdown && file.folder == contract && file.name != "README.md" {
      for (index, line) in file.lines.enumerated() {
        guard let start = line.prefixMatch(of: #/- \*\*([A-Z]-\d+[a-z]?)(\*\* )?/#)
        else { continue }
        let name = String(start.output.1)
        let mistake: (what: String, mend: String)? =
          if start.output.2 == nil {
            ("\(name) does not stand alone", "Begin the line with `- **\(name)** `")
          } else if promises.contains(where: { $0.name == name }) {
            ("\(name) is given twice", "Give one of the two the next free number")
          } else {
            nil
          }
        if let mistake {
          violations.append(
            Violation(path: file.path, line: index + 1, what: mistake.what, mend: mistake.mend))
        } else {
          promises.append(Promise(name: name, path: file.path, line: index + 1))
        }
      }
    }
    return (promises, violations)
  }

  private static func citations(in file: SourceFile, promises: [String]) -> [Citation] {
    file.lines.enumerated().filter { $0.element.utf8.contains(UInt8(ascii: "-")) }
      .flatMap { index, line in
        line.matches(of: #/\b([A-Z])-(\d+[a-z]?)\b(?:(?:…|–|\.\.\.)(?:[A-Z]-)?(\d+[a-z]?)\b)?/#)
          .filter { letters.contains($0.output.1) }
          .map { match in
            let first = "\(match.output.1)-\(match.output.2)"
            let last = match.output.3.map { "\(match.output.1)-\($0)" } ?? first
            return Citation(
              names: names(from: first, to: last, in: promises), path: file.path, line: index + 1)
          }
      }
  }

  /// The promises of a range in the contract's order; both ends as they are if one is unknown.
  private static func names(from first: String, to last: String, in promises: [String]) -> [String]
  {
    guard let start = promises.firstIndex(of: first), let end = promises.firstIndex(of: last),
      start <= end
    else { return first == last ? [first] : [first, last] }
    return Array(promises[start...end])
  }
}
