import RevisionedStore

/// What a call's end means.
enum EtcdErrors {
  /// - Parameter isChange: whether the call may have changed something.
  static func error(of status: ChannelCall.Status, isChange: Bool) -> StoreError {
    let text = status.text
    switch status.code {
    case 0: return .invalidAnswer("the call ended without one")
    case 1: return .cancelled
    case 3 where text.contains("too large"), 3 where text.contains("too many operations"):
      return .tooLarge(text)
    case 3 where text.contains("auth"), 3 where text.contains("user name is empty"):
      return .unauthenticated(text)
    case 4: return isChange ? .outcomeUnknown(text) : .unavailable(text)
    // By etcd's proxy, some errors have no code of their own.
    case 2 where text.contains("permission denied"): return .permissionDenied(text)
    case 2 where text.contains("compacted"): return .compacted(revision: 0)
    case 5 where text.contains("lease"): return .noLease
    case 7: return .permissionDenied(text)
    case 8 where text.contains("Received message"), 8 where text.contains("Buffers full"):
      // Of the library, and about the answer.
      return .invalidAnswer("\(tooLong): \(text)")
    case 8 where text.contains("larger than max"): return .tooLarge(text)
    case 8: return .exhausted(text)
    case 11 where text.contains("compacted"): return .compacted(revision: 0)
    case 14:
      // Without a connection, nothing was sent.
      let isUnsent = text.contains("failed to connect") || text.contains("no leader")
      return isChange && !isUnsent ? .outcomeUnknown(text) : .unavailable(text)
    case 16: return .unauthenticated(text)
    default: return .refused("\(text) (code \(status.code))")
    }
  }

  private static let tooLong = "it is larger than 64 MB"

  /// Whether a shorter answer to a question for less could be read.
  static func isTooLong(_ error: StoreError) -> Bool {
    if case .invalidAnswer(let text) = error { text.hasPrefix(tooLong) } else { false }
  }

  /// etcd gives the reason as a text, even where it is a status.
  static func error(ofCanceledWatch reason: String) -> StoreError {
    if reason.contains("permission") { return .permissionDenied(reason) }
    let isUnknown = ["user name is empty", "auth token", "revision of auth store"]
      .contains { reason.contains($0) }
    return isUnknown
      ? .unauthenticated(reason) : .refused("the watch was canceled: \(reason)")
  }
}
