import Testing

/// One rule of the house: a pure function from the package's files to what breaks the rule.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  /// A file without which the rule has nothing to say.
  var subject: String?
  /// Small trees that break or keep the rule; at least one of them breaks it.
  let trials: [Trial]
  let violations: @Sendable (Tree) -> [Violation]

  var testDescription: String { name }

  /// Every rule, in the order in which it is reported.
  static let all: [Rule] = [
    lineLength, fileLength, functionLength, forbiddenWords, purpose, layering, imports, edges,
    safetyNotes, orderingNotes, publicDocumentation, testNames, contractCitations,
    architectureFolders, failureTable, readme, links, samples,
  ]
}

/// A small tree and the places in it that a rule must find, no more and no fewer.
struct Trial: Sendable, CustomTestStringConvertible {
  let name: String
  let places: [String]
  let texts: [String: String]

  var testDescription: String { name }

  static func breaks(_ name: String, at places: String..., in texts: [String: String]) -> Trial {
    Trial(name: name, places: places, texts: texts)
  }

  static func keeps(_ name: String, in texts: [String: String]) -> Trial {
    Trial(name: name, places: [], texts: texts)
  }
}
