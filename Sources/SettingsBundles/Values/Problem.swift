/// What is wrong with a Settings bundle, at one place in it.
package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Severity: Int, Sendable, Comparable {
    /// Everything can be used, but a person would stumble over it.
    case warning
    /// Something is shown or stored wrongly.
    case error
    /// A pane, an item or a text is left out.
    case loss

    package static func < (left: Severity, right: Severity) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  package var severity: Severity
  /// Its path in the bundle.
  package var file: String
  /// The number of the item in the pane's file, from 0 on.
  package var item: Int?
  package var text: String

  package init(
    _ file: String, item: Int? = nil, _ text: String, _ severity: Severity = .loss
  ) {
    self.severity = severity
    self.file = file
    self.item = item
    self.text = text
  }

  package var description: String { "\(file): \(reason)" }

  /// What is wrong, for a message that names the file itself.
  package var reason: String { item.map { "item \($0): \(text)" } ?? text }
}
