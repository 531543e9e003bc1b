import Foundation
import StrataPropertyList
import Testing

/// That the deepest list fits on half the stack that a thread usually has.
struct StackTests {
  // P-7
  @Test(arguments: PropertyListFormat.allCases)
  func `512 levels are written and read on a stack of four megabytes`(
    format: PropertyListFormat
  ) async {
    let isEqual = await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: Self.survives(format)) }
      thread.stackSize = 4 << 20
      thread.start()
    }
    #expect(isEqual)
  }

  private static func survives(_ format: PropertyListFormat) -> Bool {
    let deepest = (0..<511).reduce(PropertyListValue.array([])) { value, position in
      position % 2 == 0 ? .array([value]) : .dictionary(["key": value])
    }
    do {
      let bytes = try PropertyList.encode(deepest, as: format)
      return try PropertyList.decode(bytes, as: format) == deepest
    } catch {
      return false
    }
  }
}
