@testable import EtcdClient
import Foundation
import ProgramTesting

/// Debian's `protoc`, which knows better than we do how messages are written.
struct Protoc: Sendable {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The bytes of messages in its text form, all of one kind.
  func encode(_ kind: String, _ texts: [String]) async throws -> [[UInt8]] {
    // One process for all of them: they are the items of another message.
    try directory.write(
      EtcdDescription.text + "\nmessage Many { repeated \(kind) item = 1; }\n",
      to: "etcd.proto")
    try directory.write(texts.map { "item { \($0) }" }.joined(separator: "\n"), to: "in")
    try await run("--encode", "Many")
    var items: [[UInt8]] = []
    try ProtobufReader.read([UInt8](try data("out"))[...]) { _, value in
      items.append(Array(value.bytes))
    }
    return items
  }

  func encode(_ kind: String, _ text: String) async throws -> [UInt8] {
    try await encode(kind, [text]).first ?? []
  }

  /// Whether it can read the bytes as a message of this kind.
  func accepts(_ bytes: [UInt8], as kind: String) async throws -> Bool {
    try directory.write(EtcdDescription.text, to: "etcd.proto")
    try Data(bytes).write(to: URL(fileURLWithPath: directory("in")))
    do {
      try await run("--decode", kind)
      return true
    } catch let error as ChildProcess.Failed where error.description.contains("Failed to parse") {
      return false
    }
  }

  private func run(_ action: String, _ kind: String) async throws {
    let script = "exec protoc --proto_path \"$1\" \"$2=$3\" etcd.proto <\"$1/in\" >\"$1/out\""
    let words = ["-c", script, "sh", directory.path, action, kind]
    try await onOwnThread { _ = try Command.run("/bin/sh", words) }
  }

  private func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: directory(name)))
  }

  /// Bytes in the text form.
  static func quoted(_ bytes: [UInt8]) -> String {
    let digits = bytes.map { byte in
      "\\" + [byte >> 6, byte >> 3 & 7, byte & 7].map(String.init).joined()
    }
    return "\"" + digits.joined() + "\""
  }

  static func quoted(_ text: String) -> String { quoted(Array(text.utf8)) }
}
