import CStrata
import Glibc
import Synchronization

/// A thread of ours, which ends when its work is done.
enum Thread {
  /// Runs `body` on a new detached thread with all signals but SIGBUS blocked, so that the
  /// program's handlers run where the program expects them.
  /// - Returns: false if the system has no thread to give.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Work(body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    var all = sigset_t()
    var old = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    var thread = pthread_t()
    let code = pthread_create(&thread, &attributes, run, box.toOpaque())
    if code != 0 { box.release() }
    return code == 0
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    pointer in
    guard let pointer else { return nil }
    var bus = sigset_t()
    sigemptyset(&bus)
    sigaddset(&bus, SIGBUS)
    pthread_sigmask(SIG_UNBLOCK, &bus, nil)
    Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
    return nil
  }
}

/// A sleep that others can end.
final class Alarm: Sendable {
  // Safety: allocated here, freed with this object, atomic in between.
  nonisolated(unsafe) private let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

  init() { word.initialize(to: Atomic(0)) }
  deinit { word.deallocate() }

  /// What to pass to `sleep`; read before looking for work, so that no `wake` is missed.
  var ticket: UInt32 { word.pointee.load(ordering: .acquiring) }

  func sleep(_ ticket: UInt32, atMost nanoseconds: Int64) {
    strata_futex_wait(raw, ticket, max(0, nanoseconds))
  }

  func wake() {
    word.pointee.wrappingAdd(1, ordering: .releasing)
    strata_futex_wake(raw, Int32.max)
  }

  private var raw: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }
}
