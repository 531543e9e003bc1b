import SettingsModel
package import StrataDomains
import StrataPropertyList
import StrataStorage

/// The settings of one domain, as a page in a browser shows and changes them: what is answered to
/// each request, by whatever HTTP library receives it.
public final class SettingsServer: @unchecked Sendable {
  // Safety: constants, and state that `lock` guards.

  /// A file of the page.
  public struct Asset: Sendable {
    let path: String
    let type: String
    let bytes: [UInt8]

    /// A file with this path, media type and content.
    public init(_ path: String, _ type: String, _ bytes: [UInt8]) {
      self.path = path
      self.type = type
      self.bytes = bytes
    }
  }

  private let assets: [Asset]
  private let token = Gate.secret()
  private let lock = Lock(.shown)
  // -- Guarded by `lock`
  private let board: Board
  private var gate: Gate?
  private var followers: [Int: @Sendable ([UInt8]) -> Void] = [:]
  private var followersCount = 0
  private var watch: AnyObject?

  /// A server for a domain, or for the bundle at a path.
  public convenience init(_ target: String, assets: [Asset]) throws(SettingsError) {
    try self.init(target, assets: assets, .current)
  }

  package init(
    _ target: String, assets: [Asset], _ surroundings: ProcessSurroundings
  ) throws(SettingsError) {
    self.assets = assets
    board = Board(try Target(target, surroundings), surroundings)
  }

  /// Begins to answer, now that the port is known.
  /// - Returns: the address to open.
  public func start(port: UInt16) -> String {
    let watch = board.watch { [weak self] in self?.look() }
    lock.withLock {
      gate = Gate(port: port, token: token)
      self.watch = watch
    }
    return "http://127.0.0.1:\(port)/open?token=\(token)"
  }

  // -- Requests

  /// The answer to a request that is refused whatever its content is, which need not be received;
  /// nil for any other.
  public func refusal(beforeContentOf request: Request) -> Response? {
    guard let gate = lock.withLock({ gate }) else { return Response(error: 503, "not started") }
    if request.path == "/open", request.method == "GET" { return nil }
    return gate.refusal(of: request).map { Response(error: 403, $0) }
  }

  /// The answer to a request.
  public func respond(to request: Request) -> Response {
    if let refusal = refusal(beforeContentOf: request) { return refusal }
    if request.path == "/open", request.method == "GET" { return open(request) }
    switch (request.method, request.path) {
    case ("GET", "/api/state"): return Response(200, lock.withLock { board.state })
    case ("GET", "/api/events"): return .events()
    case ("GET", let path):
      guard let asset = assets.first(where: { $0.path == path }) else {
        return Response(error: 404, "there is no such page")
      }
      return Response(200, asset.type, asset.bytes)
    case ("POST", "/api/set"), ("POST", "/api/reset"), ("POST", "/api/undo"):
      return change(request)
    case ("POST", _): return Response(error: 404, "there is no such request")
    default: return Response(error: 405, "GET and POST are possible")
    }
  }

  private func open(_ request: Request) -> Response {
    let session = lock.withLock { gate?.enter(request) }
    guard let session else {
      return Response(
        error: 403, "this address was used before, or is incomplete: open the settings again")
    }
    // A page that goes on by itself. After a redirect, the browser would still take the request for
    // one of the site where the address was clicked, and keep the cookie back. What follows the #
    // is sent to nobody.
    let page =
      "<!doctype html><title>Settings</title><link rel=\"icon\" href=\"data:,\">"
      + "<meta http-equiv=\"refresh\" content=\"0;url=/#key=\(session.key)\">"
    return Response(
      200, "text/html; charset=utf-8", Array(page.utf8), [("Set-Cookie", session.cookie)])
  }

  private func change(_ request: Request) -> Response {
    do {
      let entries = try Self.entries(of: request.body)
      guard case .string(let page)? = entries["page"], page.utf8.count <= 64 else {
        throw Board.Refusal(400, "the request does not say which page it comes from")
      }
      let change = try lock.withLock { try changeAndTell(request.path, entries, page) }
      return Response(200, .object(["change": change?.json ?? .null]))
    } catch let refusal as Board.Refusal {
      return Response(error: refusal.status, refusal.text)
    } catch {
      return Response(error: 400, "\(error)")
    }
  }

  private static func entries(
    of body: [UInt8]
  ) throws(Board.Refusal) -> [String: PropertyListValue] {
    do throws(PropertyListError) {
      if case .dictionary(let entries) = try PropertyList.decode(body, as: .json) {
        return entries
      }
    } catch {
      throw Board.Refusal(400, error.description)
    }
    throw Board.Refusal(400, "the request is not an object")
  }

  /// Locking: updates are sent under the lock that they were made under: sent after it, those of
  /// another thread could overtake them, and pages would show what is no longer so.
  private func changeAndTell(
    _ path: String, _ entries: [String: PropertyListValue], _ page: String
  ) throws(Board.Refusal) -> ChangeLog.Entry? {
    do throws(Board.Refusal) {
      let updates = try change(path, entries, page)
      send(updates)
      return updates.last?.change
    } catch {
      send(error.updates)
      throw error
    }
  }

  /// The lock must be held.
  private func change(
    _ path: String, _ entries: [String: PropertyListValue], _ page: String
  ) throws(Board.Refusal) -> [Board.Update] {
    switch path {
    case "/api/set":
      guard case .string(let key)? = entries["key"] else {
        throw Board.Refusal(400, "the request does not say which key it is about")
      }
      return try board.set(
        key, to: try Self.value(entries["value"]), by: page,
        continuing: entries["continues"].map(\.integerValue))
    case "/api/reset":
      guard let keys = entries["keys"] else { return try board.reset(nil, by: page) }
      guard let names = keys.stringArrayValue else {
        throw Board.Refusal(400, "the keys are not strings")
      }
      return try board.reset(names, by: page)
    default:
      guard case .integer(let number)? = entries["change"] else {
        throw Board.Refusal(400, "the request does not say which change it is about")
      }
      return try board.undo(Int(clamping: number), by: page)
    }
  }

  private static func value(
    _ typed: PropertyListValue?
  ) throws(Board.Refusal) -> PropertyListValue {
    do throws(Malformed) {
      return try PropertyListValue(typed: typed)
    } catch {
      throw Board.Refusal(422, error.text)
    }
  }

  // -- Events

  /// Has `send` called with bytes for an open page, until `unfollow`. It must neither wait nor call
  /// the server.
  public func follow(_ send: @escaping @Sendable ([UInt8]) -> Void) -> Int {
    let number = lock.withLock {
      followersCount += 1
      followers[followersCount] = send
      return followersCount
    }
    send(Array("retry: 1000\n\n".utf8))
    return number
  }

  /// Ends what `follow` began.
  public func unfollow(_ number: Int) {
    lock.withLock { _ = followers.removeValue(forKey: number) }
  }

  /// How many pages are open.
  public var pagesCount: Int { lock.withLock { followers.count } }

  /// Sends something that pages ignore, so that those that are gone are noticed.
  public func sendHeartbeat() { Self.send(": \n\n", to: receivers) }

  /// Tells the pages that the server ends.
  public func end() { Self.send("event: end\ndata: {}\n\n", to: receivers) }

  private var receivers: [@Sendable ([UInt8]) -> Void] { lock.withLock { Array(followers.values) } }

  private func look() { lock.withLock { send(board.update().map { [$0] } ?? []) } }

  /// Sends updates to all pages, in the order in which they were made. The lock must be held.
  private func send(_ updates: [Board.Update]) {
    for update in updates {
      Self.send(
        "event: update\ndata: \(String(decoding: update.json.bytes, as: UTF8.self))\n\n",
        to: Array(followers.values))
    }
  }

  private static func send(_ text: String, to receivers: [@Sendable ([UInt8]) -> Void]) {
    let bytes = Array(text.utf8)
    for send in receivers { send(bytes) }
  }
}
