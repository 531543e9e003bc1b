/// Why domains could not be archived or restored.
package struct ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
  package let reason: String

  init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}
