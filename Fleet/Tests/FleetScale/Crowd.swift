import CScale
import RevisionedStore

/// Agents, each with a connection of its own, that follow what a host's agent follows.
protocol Crowd: AnyObject {
  var count: Int { get }
  /// How many have all their watches.
  var followingCount: Int { get }
  /// How many have reported all that they know.
  var reportedCount: Int { get }
  /// How many changes have come in all.
  var changeCount: Int { get }
  /// How often one began to connect, or to watch.
  var attemptCount: Int { get }
  /// When each had its last change, and when it last had all its watches.
  var changeTimes: [Int64] { get }
  var followTimes: [Int64] { get }
  /// Of processor time, for all of them.
  var seconds: Double { get throws }
}

/// Agents that do nothing but speak the protocol, in one thread.
final class SimulatedCrowd: Crowd {
  let count: Int
  // Safety: it lives until the thread has ended.
  private let crowd: OpaquePointer

  init(_ options: Options, _ server: Server) throws {
    count = options.agents
    let location = server.location()
    let crowd = scale_start(
      Int32(count), server.ports, Int32(server.ports.count), options.startSeconds, options.spread,
      location.authority, location.certificate, location.key)
    guard let crowd else { throw Mistake("the agents can't be started") }
    self.crowd = crowd
  }

  deinit { scale_stop(crowd) }

  var followingCount: Int { Int(scale_following(crowd)) }
  var reportedCount: Int { Int(scale_reported(crowd)) }
  var changeCount: Int { Int(scale_changes(crowd)) }
  var attemptCount: Int { Int(scale_attempts(crowd)) }
  var changeTimes: [Int64] { times(scale_change_times) }
  var followTimes: [Int64] { times(scale_follow_times) }
  var seconds: Double { Double(scale_nanoseconds(crowd)) / 1e9 }

  private func times(_ read: (OpaquePointer, UnsafeMutablePointer<Int64>) -> Void) -> [Int64] {
    [Int64](unsafeUninitializedCapacity: count) { buffer, used in
      guard let start = buffer.baseAddress else { return }
      read(crowd, start)
      used = count
    }
  }

  /// What one host's agent watches.
  static func ranges(of host: Int) -> [KeyRange] {
    (0..<Int32(scale_range_count)).map { range in
      let text = text { scale_range(Int32(host), range, $0) }
      return text.hasSuffix("/") ? .prefix(text) : .key(text)
    }
  }

  static func statusKey(of host: Int) -> String { text { scale_status_key(Int32(host), $0) } }

  private static func text(_ write: (UnsafeMutablePointer<CChar>) -> Void) -> String {
    var bytes = [CChar](repeating: 0, count: Int(scale_text_size))
    write(&bytes)
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
