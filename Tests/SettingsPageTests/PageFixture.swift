import Foundation
import SettingsPage
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

/// A server of a domain in a directory of its own.
final class PageFixture {
  let directory: String
  let plist: String
  let server: SettingsServer
  let address: String
  let host = "127.0.0.1:20000"
  private var cookie = ""

  /// - Parameter bundle: the items of its root pane, in OpenStep text; nil for a domain without.
  init(_ bundle: String? = nil) throws {
    directory = FileManager.default.temporaryDirectory.path + "/page-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    plist = directory + "/domain.plist"
    if let bundle {
      // The group is an absolute path: the domain is in the fixture's directory.
      let text =
        "{ ApplicationGroupContainerIdentifier = \"\(plist)\"; Title = Test; "
        + "PreferenceSpecifiers = (\(bundle)); }"
      try FileManager.default.createDirectory(
        atPath: directory + "/T.bundle", withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/T.bundle/Root.plist"))
    }
    server = try SettingsServer(
      bundle == nil ? plist : directory + "/T.bundle",
      assets: [.init("/", "text/html", Array("page".utf8))])
    address = server.start(port: 20_000)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("\(directory) was not removed: \(error)")
    }
  }

  /// Uses the printed address.
  func enter() throws {
    let token = try #require(address.split(separator: "=").last.map { String($0) })
    let response = server.respond(
      to: Request("GET", "/open", query: ["token": token], headers: ["host": host]))
    let header = try #require(response.headers.first { $0.0 == "Set-Cookie" }?.1)
    cookie = String(header.prefix { $0 != ";" })
  }

  func get(_ path: String) -> Request {
    Request("GET", path, headers: ["host": host, "cookie": cookie])
  }

  func post(_ path: String, _ body: String) -> Request {
    Request(
      "POST", path,
      headers: [
        "host": host, "cookie": "other=1; \(cookie)", "origin": "http://\(host)",
        "content-type": "application/json", "x-settings-page": "1",
      ], body: Array(body.utf8))
  }

  /// - Returns: the status.
  @discardableResult
  func send(_ path: String, _ body: String) -> Int { server.respond(to: post(path, body)).status }

  /// The error's text, or all of the answer.
  func answer(_ path: String, _ body: String) throws -> [String: Any] {
    try object(server.respond(to: post(path, body)))
  }

  func state() throws -> [String: Any] { try object(server.respond(to: get("/api/state"))) }

  func setting(_ key: String) throws -> [String: Any]? {
    (try state()["settings"] as? [String: Any])?[key] as? [String: Any]
  }

  private func object(_ response: Response) throws -> [String: Any] {
    guard case .bytes(let bytes) = response.content else { return [:] }
    return try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  private var store: Store { .open(StorePaths(plist: plist)) }

  /// What is set in the domain.
  var ownValues: [String: PropertyListValue] { store.snapshot().values }

  func set(_ value: PropertyListValue?, forKey key: String) throws {
    try store.set(value, forKey: key)
  }
}
