import Foundation
import Testing

/// The form of the package is a test like any other.
@Suite struct TidyTests {
  @Test(arguments: Rule.all)
  func `the package keeps the rule`(rule: Rule) throws {
    let package = try Tree.package.get()
    if let subject = rule.subject, package.file(subject) == nil {
      print("tidy: not checked, there is no \(subject) yet: \(rule.name)")
      return
    }
    for violation in rule.violations(package) {
      Issue.record(
        "\(violation.description)",
        sourceLocation: SourceLocation(
          fileID: "strata/\(violation.path)",
          filePath: Tree.root.appendingPathComponent(violation.path).path,
          line: max(1, violation.line), column: 1))
    }
  }

  @Test(arguments: Rule.all)
  func `a rule finds exactly what breaks it`(rule: Rule) {
    for trial in rule.trials {
      let found = rule.violations(Tree(trial.texts)).map(\.place)
      #expect(found.sorted() == trial.places.sorted(), "\(rule.name): \(trial.name)")
    }
  }

  @Test(arguments: Rule.all)
  func `no rule is dead`(rule: Rule) {
    #expect(rule.trials.contains { !$0.places.isEmpty }, "\(rule.name): no trial breaks it")
  }

  @Test func `the lengths of files and functions are reported`() throws {
    let package = try Tree.package.get()
    for folder in ["Sources/", "Tests/"] {
      let files = package.files.filter { $0.isSwift && $0.path.hasPrefix(folder) }
      let functions = files.flatMap { FunctionLengths.measure($0).map(\.lines) }
      print("tidy: \(folder) file lines \(distribution(files.map(\.lines.count)))")
      print("tidy: \(folder) function lines \(distribution(functions))")
    }
  }

  private func distribution(_ lengths: [Int]) -> String {
    guard let longest = lengths.max() else { return "none" }
    let sorted = lengths.sorted()
    let (median, tail) = (sorted[sorted.count / 2], sorted[sorted.count * 9 / 10])
    return "p50 \(median), p90 \(tail), max \(longest), of \(sorted.count)"
  }
}
