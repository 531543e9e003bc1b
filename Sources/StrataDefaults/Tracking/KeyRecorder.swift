import StrataDomains

/// Records which keys a piece of code reads, so that a property that is computed from defaults can
/// be observed, although key paths carry no names.
enum KeyRecorder {
  private static let recordings = ThreadRecordings<Recording>("strata.recorded-keys")

  /// The keys that were read from one search list.
  struct Reads {
    let stack: Stack
    var keys: [String]
  }

  private final class Recording {
    var reads: [Reads] = []
  }

  /// Returns what `body` returns and the keys that it reads, on this thread, for each search list.
  static func record<Value>(_ body: () -> Value) -> (value: Value, reads: [Reads]) {
    let recording = Recording()
    return (recordings.with(recording, body), recording.reads)
  }

  @inline(__always)
  static func recordRead(of key: String, in stack: Stack) {
    if recordings.isAny { recordHere(key, stack) }
  }

  private static func recordHere(_ key: String, _ stack: Stack) {
    guard let recording = recordings.current.last else { return }
    guard let place = recording.reads.firstIndex(where: { $0.stack === stack }) else {
      return recording.reads.append(Reads(stack: stack, keys: [key]))
    }
    if !recording.reads[place].keys.contains(key) { recording.reads[place].keys.append(key) }
  }
}
