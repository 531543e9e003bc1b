import CBench
import Foundation

/// A command that reads and writes settings.
struct CommandPeer {
  static let floor = "an empty program"

  let name: String
  let read: [String]
  /// `VALUE` in it is another value each time.
  private let writing: [String]
  /// Prints a line for each change until it is ended.
  let watch: [String]?
  /// Makes a hundred settings, or throws.
  let prepare: () throws -> Void

  private static let keys = (0..<100).map { "key-\($0)" }
  private static let key = "key-50"

  func write(_ value: String) -> [String] {
    writing.map { $0.replacingOccurrences(of: "VALUE", with: value) }
  }

  init(
    name: String, read: [String], write: [String], watch: [String]? = nil,
    prepare: @escaping () throws -> Void
  ) {
    (self.name, self.read, self.watch, self.prepare) = (name, read, watch, prepare)
    writing = write
  }

  /// Ours first.
  static func all(peers: String, in place: String) -> [CommandPeer] {
    let nothing = ["\(peers)/nothing"]
    return [
      ours("\(peers)/installed/bin/defaults"), dconf(), gsettings(place), kconfig(place), gnustep(),
      CommandPeer(name: floor, read: nothing, write: nothing) {},
    ]
  }

  private static func ours(_ program: String) -> CommandPeer {
    let list = "{" + keys.map { "\"\($0)\" = value;" }.joined() + "}"
    return CommandPeer(
      name: StrataPeer.name, read: [program, "read", "org.strata.commands", key],
      write: [program, "write", "org.strata.commands", key, "VALUE"],
      watch: [program, "watch", "org.strata.commands", key]
    ) { _ = try time([program, "write", "org.strata.commands", list]) }
  }

  private static func dconf() -> CommandPeer {
    let path = "/org/strata/commands/"
    return CommandPeer(
      name: "dconf", read: ["dconf", "read", path + key],
      write: ["dconf", "write", path + key, "'VALUE'"], watch: ["dconf", "watch", path + key]
    ) { for key in keys { _ = try time(["dconf", "write", path + key, "'value'"]) } }
  }

  private static func gsettings(_ place: String) -> CommandPeer {
    let schema = "org.strata.commands"
    let start = ["gsettings", "--schemadir", place]
    return CommandPeer(
      name: "gsettings", read: start + ["get", schema, key],
      write: start + ["set", schema, key, "VALUE"], watch: start + ["monitor", schema, key]
    ) {
      let entries = keys.map { "<key name='\($0)' type='s'><default>'value'</default></key>" }
      let text =
        "<schemalist><schema id='\(schema)' path='/org/strata/commands/'>"
        + entries.joined() + "</schema></schemalist>"
      try Data(text.utf8).write(
        to: URL(fileURLWithPath: "\(place)/\(schema).gschema.xml"))
      _ = try time(["glib-compile-schemas", place])
      _ = try time(start + ["set", schema, key, "value"])
    }
  }

  private static func kconfig(_ place: String) -> CommandPeer {
    let words = ["--file", "\(place)/commandsrc", "--group", "Settings", "--key", key]
    return CommandPeer(
      name: "kreadconfig5", read: ["kreadconfig5"] + words,
      write: ["kwriteconfig5"] + words + ["VALUE"]
    ) {
      let text = "[Settings]\n" + keys.map { "\($0)=value\n" }.joined()
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(place)/commandsrc"))
      _ = try time(["kreadconfig5"] + words)
    }
  }

  /// GNUstep's command has the name of ours.
  private static func gnustep() -> CommandPeer {
    let program = "/usr/bin/defaults"
    return CommandPeer(
      name: "GNUstep defaults", read: [program, "read", "org.strata.commands", key],
      write: [program, "write", "org.strata.commands", key, "VALUE"]
    ) {
      for key in keys { _ = try time([program, "write", "org.strata.commands", key, "value"]) }
    }
  }

  /// Nanoseconds that a command takes, which must succeed.
  static func time(_ words: [String]) throws -> Double {
    let arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var status: Int32 = 0
    let time = bench_command(arguments, &status)
    guard status == 0 else { throw BenchError("\(words.joined(separator: " ")) fails (\(status))") }
    return Double(time)
  }
}
