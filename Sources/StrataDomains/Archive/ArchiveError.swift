/// Why domains could not be archived or restored.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}
