import Observation
import Synchronization

/// A key as a part of key paths, which counts how often it is hashed.
final class HashCountedKey: Hashable, Sendable {
  private let name: String
  // Ordering: a thread looks for its own additions; those of others only make an observer early.
  private let hashes = Atomic<Int>(0)

  init(_ name: String) { self.name = name }

  var hashCount: Int { hashes.load(ordering: .relaxed) }

  static func == (left: HashCountedKey, right: HashCountedKey) -> Bool { left.name == right.name }

  func hash(into hasher: inout Hasher) {
    hashes.wrappingAdd(1, ordering: .relaxed)
    hasher.combine(name)
  }
}

extension HashCountedKey {
  /// Whether Observation hashes the key path of a tracked read, first when the value is read and
  /// again when the tracking is registered.
  ///
  /// It has no reason not to, since it keeps key paths in sets, but nothing promises it. So it is
  /// tried with an object that nobody else knows, once per process and not before there is a typed
  /// key: the first tracking of a process takes some 0.2 ms.
  static let isHashedWhereTracked: Bool = {
    let (probe, key) = (Probe(), HashCountedKey("probe"))
    let path = \Probe.[key]
    let countBefore = key.hashCount
    let countOnRead = withObservationTracking {
      probe.registrar.access(probe, keyPath: path)
      return key.hashCount
    } onChange: {
    }
    let countOnRegistration = key.hashCount
    probe.registrar.withMutation(of: probe, keyPath: path) {}  // ends the tracking
    return countBefore < countOnRead && countOnRead < countOnRegistration
  }()

  private final class Probe: Observable, Sendable {
    let registrar = ObservationRegistrar()

    subscript(_: HashCountedKey) -> Void { () }
  }
}
