/// Why domains could not be put into one file or taken from it.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}
