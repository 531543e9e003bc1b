import Foundation
import RevisionedStore

/// Who asks: certificates or a name and a password.
struct Identity {
  let authority: String?
  let certificate: String?
  let key: String?
  let user: String?
  let password: String?

  /// The library says of every mistake that it could not connect, so the files are read and checked
  /// here.
  init(_ location: StoreLocation) throws(StoreError) {
    authority = try Self.text(location.authority, holding: "CERTIFICATE")
    certificate = try Self.text(location.certificate, holding: "CERTIFICATE")
    key = try Self.text(location.key, holding: "PRIVATE KEY")
    if (certificate == nil) != (key == nil) {
      throw .certificate("a certificate needs its key, and a key its certificate; give both")
    }
    user = location.user
    password = location.password
  }

  private static func text(
    _ path: String?, holding kind: String
  ) throws(StoreError) -> String? {
    guard let path else { return nil }
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw .certificate("\(path) can't be read: \(error.localizedDescription)")
    }
    guard text.contains("-----BEGIN"), text.contains("\(kind)-----") else {
      throw .certificate("\(path) is not a PEM file with a \(kind.lowercased())")
    }
    return text
  }
}
