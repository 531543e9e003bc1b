import SettingsPage
import StrataPropertyList
import Testing

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
    #expect(response.status == 303)
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
