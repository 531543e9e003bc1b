/// Decides who may use the page: whoever was given the printed address, from the page itself.
struct Gate {
  private let names: [String]
  private let cookieName: String
  /// Nil once it was used.
  private var token: String?
  private var sessions: [Session] = []

  /// What a page has that was opened by the printed address. The browser sends the cookie by
  /// itself, but also to all other servers of this machine, which may be another user's: so the
  /// page's own requests have the key, too.
  struct Session {
    let cookie: String
    let key: String
  }

  /// - Parameter token: the one-time token of the printed address.
  init(port: UInt16, token: String) {
    let hosts = ["127.0.0.1", "localhost", "[::1]"]
    // Browsers leave out the usual port.
    names = hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : [])
    // Cookies of one host are sent to all of its ports.
    cookieName = "strata-\(port)"
    self.token = token
  }

  /// A text that nobody can guess.
  static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(generator.next() as UInt64, radix: 36)
      return String(repeating: "0", count: 13 - digits.count) + digits
    }.joined()
  }

  /// Why a request is refused; nil if it is granted.
  func refusal(of request: Request) -> String? {
    if let refusal = refusalOfOrigin(request) { return refusal }
    let cookies = request.cookies(cookieName)
    let session = sessions.first { known in cookies.contains { Self.isSame($0, known.cookie) } }
    guard let session, isPublic(request) || Self.isSame(request.pageKey, session.key) else {
      return "open the address that was printed when the settings were opened"
    }
    if request.method == "GET" { return nil }
    guard request.headers["origin"] != nil,
      request.headers["content-type"]?.prefix(while: { $0 != ";" }) == "application/json"
    else { return "only the settings page itself may change settings" }
    return nil
  }

  /// Exchanges the token of the printed address for a session.
  /// - Returns: the header that sets its cookie, and its key; nil if the token is wrong or was used
  ///   before.
  mutating func enter(_ request: Request) -> (cookie: String, key: String)? {
    guard refusalOfOrigin(request) == nil, let given = request.query["token"], let token,
      Self.isSame(given, token)
    else { return nil }
    self.token = nil
    let session = Session(cookie: Self.secret(), key: Self.secret())
    sessions.append(session)
    return (
      "\(cookieName)=\(session.cookie); Path=/; HttpOnly; SameSite=Strict", session.key
    )
  }

  /// Whether the answer is the same for everybody: the page itself, which has no settings in it.
  private func isPublic(_ request: Request) -> Bool {
    request.method == "GET" && !request.path.utf8.starts(with: "/api/".utf8)
  }

  /// A page of another site may neither ask by a name that it has pointed to this machine, nor as
  /// itself.
  private func refusalOfOrigin(_ request: Request) -> String? {
    guard let host = request.headers["host"], names.contains(host) else {
      return "this is not a name of this server"
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      return "the request comes from another site"
    }
    let site = request.headers["sec-fetch-site"]
    if let site, !["same-origin", "none"].contains(site), request.path != "/open" {
      return "the request comes from another site"
    }
    return nil
  }

  /// Takes as long whatever the first difference is.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
