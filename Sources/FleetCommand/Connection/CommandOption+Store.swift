package import DefaultsCommand

/// The options that say where the store is and who asks; each verb that needs the store has them.
extension CommandOption {
  package static let store = [
    endpoint, authority, certificate, key, storeUser, passwordFile, quiet,
  ]

  static let endpoint = CommandOption(
    "endpoint", "<url>", "a member of the store, as https://HOST:PORT; may be repeated")
  static let authority = CommandOption(
    "ca", "<file>", kind: .file, "who signed the servers' certificates (PEM)")
  static let certificate = CommandOption(
    "cert", "<file>", kind: .file, "your own certificate (PEM)")
  static let key = CommandOption("key", "<file>", kind: .file, "its private key (PEM)")
  static let storeUser = CommandOption(
    "store-user", "<name>", "who you are to the store, if it asks for a password")
  static let passwordFile = CommandOption(
    "password-file", "<file>", kind: .file, "a file with that password; - for standard input")
}
