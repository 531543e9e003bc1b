/// What a browser asks.
public struct Request: Sendable {
  /// `GET` or `POST`.
  public var method: String
  /// Without the query.
  public var path: String
  /// The values after the question mark.
  public var query: [String: String]
  /// By their names in lower case.
  public var headers: [String: String]
  /// The content of a request that has one.
  public var body: [UInt8]

  /// Creates a request.
  public init(
    _ method: String, _ path: String, query: [String: String] = [:],
    headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// The largest content that a request may have.
  public static let bodySizeMax = 1 << 20

  /// What a page proves itself by. A stream of events has no headers of the page's own.
  var pageKey: String { headers["x-settings-page"] ?? query["key"] ?? "" }

  /// The values of all cookies of this name: another server of the machine can set some, too.
  func cookies(_ name: String) -> [String] {
    (headers["cookie"] ?? "").split(separator: ";").compactMap { part in
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return pair.count == 2 && pair[0] == name ? String(pair[1]) : nil
    }
  }
}

/// What a browser is answered.
public struct Response: Sendable {
  /// What is sent after the head.
  public enum Content: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// Events, as long as the page is open: see ``SettingsServer/follow(_:)``.
    case events
  }

  /// The number that says whether the request was granted.
  public var status: Int
  /// Names and values.
  public var headers: [(String, String)]
  /// What is sent.
  public var content: Content

  init(_ status: Int, _ type: String, _ bytes: [UInt8], _ headers: [(String, String)] = []) {
    self.status = status
    self.headers = [("Content-Type", type)] + headers + Self.protection
    content = .bytes(bytes)
  }

  init(_ status: Int = 200, _ json: JSON) {
    self.init(status, "application/json", json.bytes)
  }

  init(error status: Int, _ text: String) {
    self.init(status, .object(["error": .text(text)]))
  }

  static func events() -> Response {
    var response = Response(200, "text/event-stream", [])
    response.content = .events
    return response
  }

  /// What a server that never saw the request answers: one that is too large, or malformed.
  public static func refusal(_ status: Int, _ text: String) -> Response {
    Response(error: status, text)
  }

  /// No script but the page's own, nothing from elsewhere, in no frame, and kept nowhere.
  private static let protection = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]
}
