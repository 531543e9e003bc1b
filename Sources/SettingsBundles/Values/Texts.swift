/// The translations of a bundle's texts.
package struct Texts: Equatable, Sendable {
  /// By language, as in the name of its directory; then by table; then by the text in the pane.
  package var languages: [String: [String: [String: String]]]

  package init(_ languages: [String: [String: [String: String]]] = [:]) {
    self.languages = languages
  }
}
