/// Records which keys a piece of code reads, so that a property that is computed from defaults can
/// be observed, although key paths carry no names.
enum KeyRecorder {
  private static let recordings = ThreadRecordings<Keys>("strata.recorded-keys")

  private final class Keys {
    var keys: [String] = []
  }

  /// Returns what `body` returns and the keys that it reads, on this thread and of any object.
  static func record<Value>(_ body: () -> Value) -> (value: Value, keys: [String]) {
    let keys = Keys()
    return (recordings.with(keys, body), keys.keys)
  }

  @inline(__always)
  static func recordRead(of key: String) {
    if recordings.isAny { recordHere(key) }
  }

  private static func recordHere(_ key: String) {
    guard let keys = recordings.current.last, !keys.keys.contains(key) else { return }
    keys.keys.append(key)
  }
}
