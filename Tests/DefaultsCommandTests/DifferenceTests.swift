import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// How two values are shown beside each other.
struct DifferenceTests {
  // C-21, C-23
  @Test func `values that differ are never shown as the same text`() throws {
    let values: [PropertyListValue] = [
      .real(0.5), .single(0.5), .string("0.5"), .array([.real(0.5)]), .array([.single(0.5)]),
      .dictionary(["a": .real(1)]), .dictionary(["a": .single(1)]), .boolean(true), .integer(1),
      .uid(3), .dictionary(["CF$UID": .integer(3)]), .real(.infinity), .string("+infinity"),
      .string("inf"), .date(.init(secondsSinceReference: 0)),
      .date(.init(secondsSinceReference: 0.5)),
    ]
    for old in values {
      for new in values where old != new {
        let (first, second) = try Difference.texts(of: (old, new))
        let isSaid = first?.hasSuffix("inside)") == true
        #expect(first != second || isSaid, "\(first ?? "") and \(second ?? "")")
      }
    }
    let (old, new) = try Difference.texts(of: (.single(0.5), .real(0.5)))
    #expect(old == "0.5 (single precision)" && new == "0.5 (double precision)")
    let (none, plain) = try Difference.texts(of: (nil, .real(0.5)))
    #expect(none == nil && plain == "0.5")
  }
}
