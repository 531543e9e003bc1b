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
  private var key = ""

  /// - Parameters:
  ///   - bundle: the items of its root pane, in OpenStep text; nil for a domain without.
  ///   - home: another home than the fixture's directory.
  ///   - prepare: is called with the path of the property list before the server starts.
  init(
    _ bundle: String? = nil, home: String? = nil, prepare: (String) throws -> Void = { _ in }
  ) throws {
    directory = FileManager.default.temporaryDirectory.path + "/page-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    plist = directory + "/.config/defaults/T.plist"
    if let bundle {
      let text = "{ Title = Test; PreferenceSpecifiers = (\(bundle)); }"
      try FileManager.default.createDirectory(
        atPath: directory + "/T.bundle", withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/T.bundle/Root.plist"))
    }
    try prepare(plist)
    let surroundings = ProcessSurroundings(
      environment: ["HOME": home ?? directory, "STRATA_SYSTEM_DIRECTORY": directory + "/system"],
      userID: geteuid(), user: .known(nil), isSetUID: false, host: HostIdentifier(of: "host"),
      executableName: "test")
    server = try SettingsServer(
      bundle == nil ? "T" : directory + "/T.bundle",
      assets: [.init("/", "text/html", Array("page".utf8))], surroundings)
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
    let page = Self.text(of: response)
    let start = try #require(page.firstRange(of: "#key=")?.upperBound)
    key = String(page[start...].prefix { $0 != "\"" })
  }

  static func text(of response: Response) -> String {
    guard case .bytes(let bytes) = response.content else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  func get(_ path: String) -> Request {
    Request("GET", path, headers: ["host": host, "cookie": cookie, "x-settings-page": key])
  }

  func post(_ path: String, _ body: String) -> Request {
    Request(
      "POST", path,
      headers: [
        "host": host, "cookie": "other=1; \(cookie)", "origin": "http://\(host)",
        "content-type": "application/json", "x-settings-page": key,
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

  /// Has an administrator set a value.
  func force(_ values: String) throws {
    let (folder, draft) = (directory + "/system/managed", directory + "/system/draft")
    try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true)
    try Data(values.utf8).write(to: URL(fileURLWithPath: draft + "/T.plist"))
    // There at once, or not yet: the server looks while it is made.
    try FileManager.default.moveItem(atPath: draft, toPath: folder)
  }

  /// What is set in the domain.
  var ownValues: [String: PropertyListValue] { store.snapshot().values }

  func set(_ value: PropertyListValue?, forKey key: String) throws {
    try store.set(value, forKey: key)
  }
}
