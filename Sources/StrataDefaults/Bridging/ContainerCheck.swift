import Foundation
import StrataStorage

/// Finds the arrays and dictionaries of Foundation's that can't be read at all.
///
/// When Foundation hands out an element that is a container itself, it first turns that one and all
/// in it into Swift's, without end where one contains itself, and without a bound for the stack.
/// Only their mirrors show the elements as they are, so these are looked at first.
struct ContainerCheck {
  /// The containers that surround the one that is looked at.
  private var surrounding: Set<ObjectIdentifier> = []
  /// How many levels each container has that was looked at: a shared one is looked at once.
  private var levels: [ObjectIdentifier: Int] = [:]

  /// Throws if `container`, inside of `depth` others, contains itself or too many levels.
  static func check(_ container: NSObject, depth: Int) throws(BridgeError) {
    var check = ContainerCheck()
    _ = try check.levels(of: container, depth: depth)
  }

  private mutating func levels(of object: NSObject, depth: Int) throws(BridgeError) -> Int {
    guard let steps = Self.steps(from: object) else { return 0 }
    let (name, id) = (String(describing: type(of: object)), ObjectIdentifier(object))
    if surrounding.contains(id) { throw BridgeError(.containsItself, name) }
    if depth + (levels[id] ?? 1) > Limits.depthMax { throw BridgeError(.nestedTooDeep, name) }
    if let known = levels[id] { return known }
    surrounding.insert(id)
    var inner = 0
    for (step, child) in steps {
      do throws(BridgeError) {
        inner = max(inner, try levels(of: child, depth: depth + 1))
      } catch {
        throw error.inside(step)
      }
    }
    surrounding.remove(id)
    levels[id] = inner + 1
    return inner + 1
  }

  /// The objects in a container and where they are; nil for what is no container.
  private static func steps(from object: NSObject) -> [(BridgeError.Step, NSObject)]? {
    switch object {
    case let array as NSArray:
      array.customMirror.children.enumerated().compactMap { position, child in
        (child.value as? NSObject).map { (.position(position), $0) }
      }
    case let dictionary as NSDictionary:
      dictionary.customMirror.children.compactMap { child in
        guard let (key, value) = child.value as? (key: NSObject, value: AnyObject),
          let object = value as? NSObject
        else { return nil }
        return (.key(key.description), object)
      }
    default: nil
    }
  }
}
