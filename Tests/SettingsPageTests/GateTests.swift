import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import SettingsPage

/// Who may use the page.
struct GateTests {
  private let fixture: PageFixture

  init() throws { fixture = try PageFixture() }

  // B-6, B-7
  @Test func `the printed address works once`() throws {
    let token = try #require(fixture.address.split(separator: "=").last.map { String($0) })
    let request = { Request("GET", "/open", query: ["token": $0], headers: ["host": fixture.host]) }
    #expect(fixture.server.respond(to: request("x" + token)).status == 403)
    #expect(fixture.server.respond(to: request("")).status == 403)
    let response = fixture.server.respond(to: request(token))
    #expect(response.status == 200)
    let cookie = try #require(response.headers.first { $0.0 == "Set-Cookie" }?.1)
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    #expect(fixture.server.respond(to: request(token)).status == 403)
  }

  // B-7
  @Test(arguments: [
    ["cookie": ""], ["cookie": "strata-20000=x"], ["host": "evil.example"],
    ["host": "evil.example:20000"], ["host": "127.0.0.1"], ["origin": "null"],
    ["origin": "http://evil.example"], ["origin": "https://127.0.0.1:20000"],
    ["origin": "http://localhost:20000"], ["x-settings-page": ""], ["origin": ""],
    ["content-type": "text/plain"], ["sec-fetch-site": "cross-site"],
    ["sec-fetch-site": "same-site"],
  ])
  func `a request from anywhere but the page is refused and changes nothing`(
    headers: [String: String]
  ) throws {
    try fixture.enter()
    var request = fixture.post("/api/set", "{\"page\": \"p\", \"key\": \"k\", \"value\": \(one)}")
    for (name, value) in headers { request.headers[name] = value.isEmpty ? nil : value }
    #expect(fixture.server.respond(to: request).status == 403)
    #expect(fixture.ownValues.isEmpty)
    #expect(fixture.send("/api/set", "{\"page\": \"p\", \"key\": \"k\", \"value\": \(one)}") == 200)
    #expect(fixture.ownValues == ["k": 1])
  }

  private let one = "{\"type\": \"integer\", \"value\": \"1\"}"

  // B-7
  @Test func `a cookie of the same name that another server set is in nobody's way`() throws {
    try fixture.enter()
    var request = fixture.get("/api/state")
    request.headers["cookie"] = "strata-20000=x; " + (request.headers["cookie"] ?? "")
    #expect(fixture.server.respond(to: request).status == 200)
  }

  // B-7
  @Test func `whoever has only the cookie, which browsers send to each port, sees no settings`()
    throws
  {
    try fixture.enter()
    for key in [nil, "", "1", "x"] {
      var requests = [fixture.get("/api/state"), fixture.get("/api/events")]
      let body = "{\"page\": \"p\", \"key\": \"k\", \"value\": \(one)}"
      requests.append(fixture.post("/api/set", body))
      for var request in requests {
        request.headers["x-settings-page"] = key
        #expect(fixture.server.respond(to: request).status == 403, "\(request.path) \(key ?? "")")
        request.query["key"] = key
        #expect(fixture.server.refusal(beforeContentOf: request)?.status == 403)
      }
    }
    #expect(fixture.ownValues.isEmpty)
    var events = fixture.get("/api/events")
    events.query["key"] = events.headers.removeValue(forKey: "x-settings-page")
    #expect(fixture.server.respond(to: events).status == 200)
    var page = fixture.get("/")
    page.headers["x-settings-page"] = nil
    #expect(fixture.server.respond(to: page).status == 200, "a new tab, which has yet to ask")
  }

  // B-6, B-7
  @Test func `an address that is clicked in a page of another site leads to the settings`() throws {
    let token = try #require(fixture.address.split(separator: "=").last.map { String($0) })
    let headers = ["host": fixture.host, "sec-fetch-site": "cross-site"]
    let request = Request("GET", "/open", query: ["token": token], headers: headers)
    let response = fixture.server.respond(to: request)
    #expect(response.status == 200 && !response.headers.contains { $0.0 == "Location" })
    #expect(PageFixture.text(of: response).contains("content=\"0;url=/#key="))
  }

  // B-6
  @Test func `a bundle beside a program, whose name is no domain's, is refused`() throws {
    let tree = FileManager.default.temporaryDirectory.path + "/page-\(UUID().uuidString)"
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: tree) } }
    for name in ["Settings.bundle", "com.example.ed.bundle"] {
      try FileManager.default.createDirectory(
        atPath: tree + "/" + name, withIntermediateDirectories: true)
      try Data("{ PreferenceSpecifiers = (); }".utf8).write(
        to: URL(fileURLWithPath: "\(tree)/\(name)/Root.plist"))
    }
    let surroundings = ProcessSurroundings(
      environment: ["HOME": tree], userID: geteuid(), user: .known(nil), isSetUID: false,
      host: HostIdentifier(of: "host"), executableName: "test")
    #expect(throws: SettingsError.self) { try Target(tree + "/Settings.bundle/", surroundings) }
    let target = try Target(tree + "/com.example.ed.bundle//", surroundings)
    #expect(target.identifier.name == "com.example.ed" && target.bundle != nil)
  }

  // B-7
  @Test func `on the usual port the host is named without it`() throws {
    var gate = Gate(port: 80, token: "t")
    for host in ["127.0.0.1", "127.0.0.1:80", "localhost"] {
      let request = Request("GET", "/", headers: ["host": host])
      #expect(gate.refusal(of: request)?.contains("printed") == true, "\(host)")
    }
    let opening = Request("GET", "/open", query: ["token": "t"], headers: ["host": "127.0.0.1"])
    #expect(gate.enter(opening) != nil)
  }

  // B-7
  @Test(arguments: ["/", "/page.css", "/api/state", "/api/events", "/other", "/../etc/passwd"])
  func `nothing is shown without the cookie`(path: String) throws {
    let request = Request("GET", path, headers: ["host": fixture.host])
    #expect(fixture.server.respond(to: request).status == 403)
  }

  // B-7
  @Test func `every answer forbids inline script, frames and other origins`() throws {
    try fixture.enter()
    for path in ["/", "/api/state", "/gone"] {
      let response = fixture.server.respond(to: fixture.get(path))
      let policy = response.headers.first { $0.0 == "Content-Security-Policy" }?.1
      #expect(policy?.contains("default-src 'none'") == true)
      #expect(policy?.contains("unsafe") == false)
      #expect(response.headers.contains { $0 == ("Cache-Control", "no-store") })
    }
  }
}
