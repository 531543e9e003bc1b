import CStrata
import StrataSystem

/// A program that runs beside this one.
///
/// Its standard input ends when this process does, however that ends: a program that waits for it
/// needs nobody to end it.
package final class StartedProgram: Sendable {
  private let input: Int32
  private let child: pid_t

  /// - Parameter log: a file to which what it prints is appended.
  package init(_ words: [String], log: String) throws(Failure) {
    let arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child = pid_t()
    input = strata_start(arguments, log, &child)
    self.child = child
    guard input >= 0 else {
      throw Failure("cannot run \(words[0]): \(strerror(errno).map { String(cString: $0) } ?? "")")
    }
  }

  /// Whether it has ended by itself.
  package var hasEnded: Bool { strata_has_ended(child) }

  /// Ends its input, and waits until the program has ended.
  package func end() { strata_end(input, child) }
}
