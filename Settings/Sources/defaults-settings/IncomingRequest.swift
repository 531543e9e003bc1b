import CPage
import SettingsPage

/// A request whose content is still to come.
final class IncomingRequest {
  private(set) var request: Request

  init(_ connection: OpaquePointer, _ method: String, _ path: String) {
    request = Request(
      method, path, query: Self.values(of: connection, .GET_ARGUMENT_KIND),
      headers: Self.values(of: connection, .HEADER_KIND))
  }

  /// The answer to a request that is not worth receiving; nil for any other.
  var refusal: Response? {
    guard let length = request.headers["content-length"] else { return nil }
    guard let size = Int(length), size <= Request.bodySizeMax else {
      return .refusal(413, "the request is too large")
    }
    return nil
  }

  /// - Returns: false if there is more than anybody needs.
  func take(_ part: UnsafePointer<CChar>?, _ size: Int) -> Bool {
    guard let part, request.method == "POST", request.body.count + size <= Request.bodySizeMax
    else { return false }
    // Safety: the library lends so many bytes for this call.
    request.body += UnsafeRawBufferPointer(start: part, count: size)
    return true
  }

  private static func values(
    of connection: OpaquePointer, _ kind: MHD_ValueKind
  ) -> [String: String] {
    var values: [String: String] = [:]
    // Safety: the dictionary outlives the call, which calls back before it returns.
    withUnsafeMutablePointer(to: &values) { values in
      _ = MHD_get_connection_values(
        connection, kind,
        { values, _, name, value in
          guard let values, let name else { return .YES }
          let known = values.assumingMemoryBound(to: [String: String].self)
          let key = String(cString: name).lowercased()
          // What is there twice could mean one thing here and another elsewhere.
          known.pointee[key] = known.pointee[key] == nil ? value.map { String(cString: $0) } : ""
          return .YES
        }, values)
    }
    return values
  }
}
