import Foundation
import StrataTesting
import Testing

import class StrataDefaults.UserDefaults

/// That nobody else can read a setting, not even for a moment.
@Suite(.waiting) struct PrivateFileProcessTests {
  // S-12
  @Test func `files are private from the moment they exist, whatever the umask is`() throws {
    let strace = "/usr/bin/strace"
    guard access(strace, X_OK) == 0 else {
      print("not tested: there is no strace to see with which modes files are made")
      return
    }
    let fixture = try DefaultsFixture()
    // A report of each thread's: in a common one, calls are cut in two by those of others.
    let reports = fixture.directory + "/calls"
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: true)
    let tracer = [
      strace, "-ff", "-o", reports + "/of", "-e", "trace=openat,open,creat,mkdir,mkdirat,chmod",
    ]
    let probe = try ProbeProcess.serving(fixture, tracer: tracer)
    try probe.ask("umask", "0")
    try probe.ask("set", "key", "text", "a secret")
    #expect(try probe.ask("sync") == "true")
    try probe.finish()
    let lines = try FileManager.default.contentsOfDirectory(atPath: reports).flatMap {
      try String(contentsOfFile: reports + "/" + $0, encoding: .utf8).split(separator: "\n")
    }
    let made = lines.filter {
      $0.contains("/.config") && ($0.contains("O_CREAT") || $0.contains("mkdir"))
    }
    #expect(made.count >= 5, "plist, journal, and their directories")
    for line in made {
      let isPrivate = line.contains(", 0600)") || line.contains(", 0700)")
      #expect(isPrivate && !line.contains("O_CREAT|O_TMPFILE"), "\(line)")
    }
    try expectPrivate(fixture.directory + "/.config")
  }

  private func expectPrivate(_ directory: String) throws {
    let walk = try #require(FileManager.default.enumerator(atPath: directory))
    var names = 0
    for case let name as String in walk {
      var status = stat()
      #expect(lstat(directory + "/" + name, &status) == 0)
      let isDirectory = status.st_mode & S_IFMT == S_IFDIR
      #expect(status.st_mode & 0o777 == (isDirectory ? 0o700 : 0o600), "\(name)")
      names += 1
    }
    #expect(names >= 4)
  }
}
