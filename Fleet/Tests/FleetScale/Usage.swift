import Foundation

/// Something of this program's own went wrong.
struct Mistake: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What a process takes of the machine.
struct Usage {
  /// Now, and at most so far.
  let megabytes: Double
  let megabytesMax: Double
  /// Of processor time since its start.
  let seconds: Double

  /// Of this process.
  static var own: Usage { get throws { try Usage(getpid()) } }

  init(_ process: pid_t) throws {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    func size(_ name: String) -> Double {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
      return (line.split(separator: " ").compactMap { Double($0) }.first ?? .nan) / 1_024
    }
    (megabytes, megabytesMax) = (size("VmRSS"), size("VmHWM"))
    let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // After the name in parentheses, the third of what is in the manual.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw Mistake("/proc/\(process)/stat is not as expected")
    }
    seconds = (user + system) / 100
  }
}
