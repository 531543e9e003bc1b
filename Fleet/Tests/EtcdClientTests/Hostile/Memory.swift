import Foundation

/// How much memory this process needs.
enum Memory {
  /// Other tests run at the same time, and what has no bound needs more than a thousand.
  static let growthMax = 700

  /// How many megabytes more than before are needed at most, while something happens.
  static func growth(_ happen: () async throws -> Void) async throws -> Int {
    // Forgets what was needed at most until now.
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let before = try peak()
    try await happen()
    return try peak() - before
  }

  private static func peak() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (Int(line.filter(\.isNumber)) ?? 0) >> 10
  }
}
