/// Why a store did not do what it was asked to.
public enum StoreError: Error, Equatable, Sendable {
  /// No server answered. Nothing was changed.
  case unavailable(String)
  /// The connection was lost after a change was sent: whether it was made is not known.
  case outcomeUnknown(String)
  /// The name, password or certificate was refused, or there was none.
  case unauthenticated(String)
  /// This identity may not do this.
  case permissionDenied(String)
  /// The history after the revision asked for is gone; this is the first one that is left.
  case compacted(revision: Int64)
  /// The store does not know a revision that was seen before: it is another one, or was restored
  /// from a backup.
  case rebuilt(String)
  /// A value, a key or a whole transaction exceeds a limit of the store.
  case tooLarge(String)
  /// The store is full, or is asked for too much at once.
  case exhausted(String)
  /// There is no such lease, or it has ended.
  case noLease
  /// A file with a key or certificate can't be used.
  case certificate(String)
  /// The server sent what it must not send.
  case invalidAnswer(String)
  /// The server refused the request for another reason.
  case refused(String)
  /// The task was cancelled.
  case cancelled
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unavailable(let text): "the store can't be reached: \(text)"
    case .outcomeUnknown(let text):
      "the connection was lost, and the change may have been made: \(text)"
    case .unauthenticated(let text): "the store does not accept this identity: \(text)"
    case .permissionDenied(let text): "this identity has no permission: \(text)"
    case .compacted(let revision): "the history before revision \(revision) has been compacted"
    case .rebuilt(let text): "the store is not what it was: \(text)"
    case .tooLarge(let text): "too large for the store: \(text)"
    case .exhausted(let text): "the store has no room: \(text)"
    case .noLease: "there is no such lease"
    case .certificate(let text): text
    case .invalidAnswer(let text): "the server's answer is not valid: \(text)"
    case .refused(let text): "the store refused: \(text)"
    case .cancelled: "cancelled"
    }
  }
}
