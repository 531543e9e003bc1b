/// An error that ends the command.
package struct Failure: Error, Hashable, Sendable {
  package let code: ExitCode
  /// The message; nil if nobody reads it any more.
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

  /// The output was closed by its reader.
  package static let closedPipe = Failure(.failure, nil)
}
