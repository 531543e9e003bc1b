import Foundation
import StrataDefaults
import Testing

/// That the deepest value fits on a part of the stack that a thread usually has.
struct BridgeStackTests {
  // V-24
  @Test(arguments: [511, 512])
  func `the deepest value needs a quarter of a thread's stack at most`(levels: Int) async {
    let reasons = await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: Self.reasons(levels)) }
      thread.stackSize = 2 << 20
      thread.start()
    }
    let reason: BridgeError.Reason? = levels > 511 ? .nestedTooDeep : nil
    #expect(reasons == [reason, reason, reason])
  }

  /// Why each kind of container is refused.
  private static func reasons(_ levels: Int) -> [BridgeError.Reason?] {
    let objects: [Any] = [
      NestedObjects.swiftArray(levels), NestedObjects.dictionary(levels),
      NestedObjects.foundationArray(levels),
    ]
    return objects.map { object in
      do throws(BridgeError) {
        _ = try Bridge.value(of: object)
        return nil
      } catch {
        return error.reason
      }
    }
  }
}
