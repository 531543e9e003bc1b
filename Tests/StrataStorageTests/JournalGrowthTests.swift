import Foundation
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// How a journal's file gets longer.
@Suite struct JournalGrowthTests {
  // S-3, S-10
  @Test(arguments: [1 << 12, 10_000, 1 << 16, 1 << 20])
  func `a file grows to the length that is asked for, in pieces of any size`(piece: Int) throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/file"
    try Data("abc".utf8).write(to: URL(fileURLWithPath: path))
    let disk = SystemFileSystem()
    let file = try disk.open(path, .readWrite)
    defer { disk.close(file) }
    for size in [4_096, 5_000, 70_000, 70_001, 400_000, 300_000] {
      try disk.extend(file, from: 3, to: size, inPiecesOf: piece)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(bytes.count == max(size, size == 300_000 ? 400_000 : 0))
      #expect(bytes.starts(with: Data("abc".utf8)) && bytes.dropFirst(3).allSatisfy { $0 == 0 })
    }
    let refusal = #expect(throws: StorageError.self) {
      try disk.extend(file, from: 400_001, to: 500_000, inPiecesOf: piece)
    }
    #expect(refusal?.code == SystemCode.cutOff)
    #expect(try disk.status(of: file).size == 400_000)
  }

  // S-10
  @Test func `no signal ends who adds to a file up to the limit beside others`() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      let (path, disk, limit) = (directory.path, SystemFileSystem(), 1 << 17)
      // Whatever the tests were started with.
      signal(SIGXFSZ, SIG_DFL)
      var none = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, nil)
      var most = rlimit(rlim_cur: 1 << 17, rlim_max: 1 << 17)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &most)
      // Threads: tasks run on those of Dispatch, which let no such signal through.
      let end = DispatchSemaphore(value: 0)
      for _ in 0..<4 {
        Foundation.Thread.detachNewThread {
          for number in 0..<400 {
            do throws(StorageError) {
              let file = try disk.open("\(path)/\(number)", .make(mode: 0o600))
              defer { disk.close(file) }
              try disk.extend(file, from: 0, to: limit, inPiecesOf: 1 << 14)
              if try disk.status(of: file).size != limit { exit(3) }
            } catch {
              exit(2)
            }
          }
          end.signal()
        }
      }
      for _ in 0..<4 { end.wait() }
    }
  }

  /// Sets until the journal has grown past 256 KiB, and tells in what pieces it grew.
  private func pieces(_ each: (Store) throws -> Void) throws -> Set<String> {
    let (machine, paths) = (FaultMachine(), CrashScript.paths)
    let store = machine.process().store(at: paths)
    var pieces: Set<String> = []
    let text = String(repeating: "x", count: 1_000)
    for number in 0..<300 {
      machine.beforeCall = { _, call in
        // The first time, there is less than a large piece that could have been made durable.
        guard number > 70, call.hasPrefix("extend") else { return }
        pieces.insert(call.split(separator: " ").last.map(String.init) ?? "")
      }
      try store.set(.string(text + "\(number)"), forKey: "a")
      try each(store)
    }
    return pieces
  }

  // S-4
  @Test func `a journal grows in large pieces, or in pages if each set is made durable`() throws {
    #expect(try pieces { _ in } == ["\(JournalLayout.growthMin)"])
    let ofDurable = try pieces { try #require($0.synchronize()) }
    #expect(ofDurable == ["\(JournalLayout.pageSize)"])
  }
}
