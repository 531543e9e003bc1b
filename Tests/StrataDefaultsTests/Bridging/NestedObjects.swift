import Foundation

/// Containers in containers, so many levels of them.
enum NestedObjects {
  static func swiftArray(_ levels: Int) -> [Any] {
    (1..<levels).reduce([]) { inner, _ in [inner] }
  }

  static func foundationArray(_ levels: Int) -> NSArray {
    (1..<levels).reduce(NSMutableArray()) { inner, _ in NSMutableArray(object: inner) }
  }

  static func dictionary(_ levels: Int) -> [String: Any] {
    (1..<levels).reduce([:]) { inner, _ in ["k": inner] }
  }
}
