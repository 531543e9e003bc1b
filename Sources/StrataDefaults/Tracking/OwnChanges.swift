import StrataStorage

/// Records what a thread changes inside of a closure that reads and sets as one step.
enum OwnChanges {
  private static let recordings = ThreadRecordings<Keys>("strata.own-changes")

  private final class Keys {
    let layer: Layer
    var keys: Set<String> = []

    init(_ layer: Layer) { self.layer = layer }
  }

  /// Returns what `body` returns and, on request, which keys this thread changed meanwhile.
  static func collect<Result, Failure: Error>(
    if isAsked: Bool, in layer: Layer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> (Result, keys: Set<String>) {
    guard isAsked else { return (try body(), []) }
    let keys = Keys(layer)
    return (try recordings.with(keys, body), keys.keys)
  }

  /// Notes what this thread has changed, for whoever records the changes of the process, too.
  @inline(__always)
  static func note(_ changes: @autoclosure () -> [Change], in layer: Layer) {
    ChangeRecorders.record(changes(), in: layer)
    if recordings.isAny { recordHere(changes(), layer) }
  }

  private static func recordHere(_ changes: [Change], _ layer: Layer) {
    for keys in recordings.current where keys.layer == layer {
      keys.keys.formUnion(changes.lazy.map(\.key))
    }
  }
}
