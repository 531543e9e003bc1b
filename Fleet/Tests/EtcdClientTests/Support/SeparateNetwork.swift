import Foundation
import Glibc

/// A network of its own, from which packets can be dropped without a trace.
final class SeparateNetwork: Sendable {
  /// The addresses of its two ends.
  let outside: String
  let inside: String
  private let name: String
  private let near: String
  /// Starts a program within.
  var command: [String] { ["ip", "netns", "exec", name] }

  static let isPossible: Bool = {
    guard geteuid() == 0 else { return false }
    let name = "strata-probe-\(getpid())"
    do {
      try Command.run("ip", ["netns", "add", name])
      try Command.run("ip", ["netns", "delete", name])
      return true
    } catch {
      print("no network namespaces: \(error)")
      return false
    }
  }()

  init() throws {
    let number = Int.random(in: 0..<0x4000)
    name = "strata-\(number)"
    let network = "10.\(192 + number >> 8).\(number & 0xFF)"
    (outside, inside) = (network + ".1", network + ".2")
    near = "sn\(number)"
    let far = "sf\(number)"
    try Command.run("ip", ["netns", "add", name])
    for words in [
      "link add \(near) type veth peer name \(far)", "link set \(far) netns \(name)",
      "addr add \(outside)/30 dev \(near)", "link set \(near) up",
      "-n \(name) addr add \(inside)/30 dev \(far)", "-n \(name) link set \(far) up",
      "-n \(name) link set lo up",
    ] {
      try Command.run("ip", words.split(separator: " ").map(String.init))
    }
  }

  deinit {
    do {
      try Command.run("ip", ["link", "delete", near])
      try Command.run("ip", ["netns", "delete", name])
    } catch {
      print("could not delete the network \(name): \(error)")
    }
  }

  /// From now on, whoever is within hears others, and is not heard.
  func dropPackets() throws {
    try Command.run("ip", ["-n", name, "route", "add", "blackhole", outside + "/32"])
  }
}
