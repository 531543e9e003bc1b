import FleetAgent
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// The people of a host, of whom an agent asks each time that it applies policies.
struct PasswordFileTests {
  private let machine = FaultMachine()
  private let path = "/etc/passwd"

  private func write(_ name: String) throws {
    machine.makeParents(of: path)
    try WholeFile(path, on: machine.disk).replace(
      by: Array("\(name):x:1000:1000::/home/\(name):/bin/sh\n".utf8))
  }

  // M-5
  @Test func `the file is read again only if it was changed`() throws {
    try write("ann")
    var reads = 0
    machine.beforeLook = { if $0 == .read { reads += 1 } }
    let file = PasswordFile(path, on: machine.disk)
    for _ in 0..<3 { #expect(file.people == ["ann"]) }
    #expect(reads == 1)
    try write("bob")
    for _ in 0..<3 { #expect(file.people == ["bob"]) }
    #expect(reads == 2)
  }

  // M-5
  @Test func `as long as it can't be read, the people are those who were in it last`() throws {
    try write("ann")
    let file = PasswordFile(path, on: machine.disk)
    #expect(file.people == ["ann"])
    try write("bob")
    machine.quietError = { call, _ in call == .read ? 5 : nil }
    #expect(file.people == ["ann"])
    machine.quietError = nil
    #expect(file.people == ["bob"])
    try machine.disk.remove(path)
    #expect(file.people == [])
  }
}
