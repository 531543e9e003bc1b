import Foundation
import StrataDomains
import StrataStorage
import Synchronization

/// Records what a thread changes inside of a closure that reads and sets as one step.
enum OwnChanges {
  private static let name = "strata.own-changes"
  // Nonzero while a thread records; otherwise, a set costs one more load of memory.
  private static let count = Atomic<Int>(0)

  private final class Keys {
    let stack: Stack
    let outer: Keys?
    var keys: Set<String> = []

    init(_ stack: Stack, in outer: Keys?) { (self.stack, self.outer) = (stack, outer) }
  }

  /// Returns what `body` returns and, on request, which keys this thread changed meanwhile.
  static func collect<Result, Failure: Error>(
    if isAsked: Bool, in stack: Stack, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> (Result, keys: Set<String>) {
    guard isAsked else { return (try body(), []) }
    let dictionary = Foundation.Thread.current.threadDictionary
    let outer = dictionary[name] as? Keys
    let keys = Keys(stack, in: outer)
    dictionary[name] = keys
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer {
      count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      dictionary[name] = outer
    }
    return (try body(), keys.keys)
  }

  @inline(__always)
  static func record(_ changes: @autoclosure () -> [Change], in stack: Stack) {
    if count.load(ordering: .relaxed) != 0 { recordHere(changes(), stack) }
  }

  private static func recordHere(_ changes: [Change], _ stack: Stack) {
    var next = Foundation.Thread.current.threadDictionary[name] as? Keys
    while let keys = next {
      if keys.stack === stack { keys.keys.formUnion(changes.lazy.map(\.key)) }
      next = keys.outer
    }
  }
}
