/// Why the command ends without having done what it was to do.
package struct Failure: Error, Hashable, Sendable {
  package let code: ExitCode
  /// What a person should read; nothing where nobody listens any more.
  package let text: String?

  package init(_ text: String) {
    code = .failure
    self.text = text
  }

  private init(_ code: ExitCode, _ text: String?) {
    self.code = code
    self.text = text
  }

  package static func usage(_ text: String) -> Failure { Failure(.usage, text) }

  /// Whoever reads the output has gone.
  package static let closedPipe = Failure(.failure, nil)
}
