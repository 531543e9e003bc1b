import StrataDomains
import StrataStorage

/// Records what a thread changes inside of a closure that reads and sets as one step.
enum OwnChanges {
  private static let recordings = ThreadRecordings<Keys>("strata.own-changes")

  private final class Keys {
    let stack: Stack
    var keys: Set<String> = []

    init(_ stack: Stack) { self.stack = stack }
  }

  /// Returns what `body` returns and, on request, which keys this thread changed meanwhile.
  static func collect<Result, Failure: Error>(
    if isAsked: Bool, in stack: Stack, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> (Result, keys: Set<String>) {
    guard isAsked else { return (try body(), []) }
    let keys = Keys(stack)
    return (try recordings.with(keys, body), keys.keys)
  }

  @inline(__always)
  static func record(_ changes: @autoclosure () -> [Change], in stack: Stack) {
    if recordings.isAny { recordHere(changes(), stack) }
  }

  private static func recordHere(_ changes: [Change], _ stack: Stack) {
    for keys in recordings.current where keys.stack === stack {
      keys.keys.formUnion(changes.lazy.map(\.key))
    }
  }
}
