import Foundation
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults
@testable import StrataStorage

/// What people read of errors.
struct LocalizedErrorTests {
  // V-24, P-1
  @Test func `each public error says what its description says`() throws {
    let refused = #expect(throws: DefaultsError.self) {
      try UserDefaults.inMemory().store(Date.self, forKey: "a")
    }
    let malformed = #expect(throws: PropertyListError.self) { try PropertyList.decode([1, 2, 3]) }
    let errors: [any Error & CustomStringConvertible] = [
      try #require(refused), try #require(malformed), StorageError(.open, "/x", code: ENOENT),
    ]
    for error in errors {
      #expect(error.localizedDescription == error.description)
      #expect(!error.description.isEmpty)
    }
  }
}
