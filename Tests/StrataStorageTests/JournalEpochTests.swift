import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Domains that nobody has written to.
@Suite struct JournalEpochTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths

  init() { machine.makeParents(of: paths.plist) }

  // S-13
  @Test func `reading makes no journal`() throws {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "a") == nil)
    #expect(store.snapshot().values.isEmpty)
    #expect(store.flush())
    #expect(store.synchronize())
    #expect(machine.names[paths.journal] == nil)
    #expect(machine.names[paths.plist] == nil)
  }

  // S-13, S-25
  @Test func `who reads once makes nothing, and asks for nothing that only later reads need`()
    throws
  {
    let machine = FaultMachine()
    let reader = machine.process().store(at: paths)
    #expect(reader.integer(forKey: "a") == nil)
    #expect(machine.directories == ["/"] && machine.names.isEmpty)
    #expect(reader.integer(forKey: "a") == nil)
    #expect(machine.names.keys.sorted() == [paths.lockFile])
  }

  // S-2, S-13
  @Test(arguments: [false, true])
  func `who ends in a moment makes nothing however often it reads, and misses nothing`(
    isRare: Bool
  ) throws {
    let machine = FaultMachine()
    let process = machine.process(feedMode: .never)
    let reader = process.store(at: paths, rules: StoreRules(isRare: isRare))
    for _ in 0..<3 { #expect(reader.integer(forKey: "a") == nil) }
    #expect(reader.snapshot().values.isEmpty && reader.flush())
    #expect(machine.directories == ["/"] && machine.names.isEmpty)
    let writer = machine.process().store(at: paths)
    for number in Int64(1)...3 {
      try writer.set(.integer(number), forKey: "a")
      #expect(reader.integer(forKey: "a") == number)
    }
  }

  // S-2, S-8
  @Test(arguments: [true, false], [true, false])
  func `what comes after the first read is seen by the second one`(
    isEdit: Bool, hasList: Bool
  ) throws {
    let reader = machine.process().store(at: paths)
    if hasList { machine.edit(paths.plist, Array("a = 0;".utf8)) }
    #expect(reader.value(forKey: "a") == (hasList ? .string("0") : nil))
    if isEdit {
      machine.edit(paths.plist, Array("a = 1;".utf8))
    } else {
      try machine.process().store(at: paths).set(.string("1"), forKey: "a")
    }
    reader.table.checkAt = .max  // it asks for neither because of the time
    #expect(reader.value(forKey: "a") == .string("1"))
    try machine.process().store(at: paths).set(.string("2"), forKey: "a")
    #expect(reader.value(forKey: "a") == .string("2"))
  }

  // S-2
  @Test func `the first set of a domain is seen at once by who has read it before`() throws {
    for round in 0..<20 {
      let machine = FaultMachine()
      machine.makeParents(of: paths.plist)
      let reader = machine.process().store(at: paths)
      #expect(reader.integer(forKey: "a") == nil)
      let writer = machine.process().store(at: paths)
      try writer.set(.integer(Int64(round)), forKey: "a")
      #expect(reader.integer(forKey: "a") == Int64(round))
    }
  }

  // S-2
  @Test(arguments: FaultMachine.QuietCall.allCases)
  func `who could not tell of a new journal does so with the next set`(
    call: FaultMachine.QuietCall
  ) throws {
    let reader = machine.process().store(at: paths)
    #expect(reader.integer(forKey: "a") == nil)
    let writer = machine.process().store(at: paths)
    machine.pathError = { [paths] other, path in
      other == call && path == paths.lockFile ? EMFILE : nil
    }
    try writer.set(.integer(1), forKey: "a")
    machine.pathError = nil
    try writer.set(.integer(2), forKey: "a")
    reader.table.checkAt = .max  // it learns of it from the epoch alone
    #expect(reader.integer(forKey: "a") == 2)
  }

  // S-2
  @Test func `a set into a journal whose maker died is seen at once too`() throws {
    let reader = machine.process().store(at: paths)
    #expect(reader.integer(forKey: "a") == nil)
    let maker = machine.process().store(at: paths)
    maker.lock.withLock { maker.load(making: true) }
    let reader2 = machine.process().store(at: paths)
    #expect(reader2.integer(forKey: "a") == nil)
    let writer = machine.process().store(at: paths)
    try writer.set(.integer(7), forKey: "a")
    #expect(reader.integer(forKey: "a") == 7)
    #expect(reader2.integer(forKey: "a") == 7)
  }

  // S-2
  @Test func `another domain's first set costs a reader a look and nothing else`() throws {
    let reader = machine.process().store(at: paths)
    #expect(reader.integer(forKey: "a") == nil)
    let beside = StorePaths(identifier: "beside", in: paths.directory)
    try machine.process().store(at: beside).set(.integer(1), forKey: "a")
    #expect(reader.integer(forKey: "a") == nil)
    #expect(reader.integer(forKey: "a") == nil)
    #expect(machine.names[paths.journal] == nil)
  }

  // S-2
  @Test(arguments: [1, manyReads])
  func `reads make only the directory around a rare one, and the first of them not even that`(
    reads: Int
  ) throws {
    let below = try below(machine.process(), reads)
    #expect(machine.names[below.paths.directory] == nil)
    #expect((machine.names[paths.lockFile] != nil) == (reads > 1))
  }

  // S-2
  @Test(arguments: [1, manyReads])
  func `the first set in a directory that was missing is seen at once`(reads: Int) throws {
    let reader = try below(machine.process(), reads)
    reader.table.checkAt = .max
    try below(machine.process()).set(.integer(1), forKey: "a")
    #expect(reader.integer(forKey: "a") == 1)
  }

  // S-2
  @Test(arguments: [1, manyReads])
  func `a set in a directory whose maker died is seen at once too`(reads: Int) throws {
    let reader = try below(machine.process(), reads)
    let maker = below(machine.process())
    maker.lock.withLock { maker.load(making: true) }
    reader.table.checkAt = .max
    try below(machine.process()).set(.integer(1), forKey: "a")
    #expect(reader.integer(forKey: "a") == 1)
  }

  // S-2
  @Test func `a journal in a directory without an epoch is told of by the one around it`() throws {
    try machine.process().store(at: paths).set(.integer(1), forKey: "a")
    let reader = below(machine.process())
    machine.makeParents(of: reader.paths.plist)
    #expect(reader.integer(forKey: "a") == nil)
    #expect(machine.names[reader.paths.hidden] == nil)
    reader.table.checkAt = .max
    try below(machine.process()).set(.integer(1), forKey: "a")
    #expect(reader.integer(forKey: "a") == 1)
  }

  /// More than those that look at the disk, each by itself.
  private static let manyReads = 2 * Store.searchesMax

  /// The same, once it was read so often.
  private func below(_ process: StorageProcess, _ reads: Int) throws -> Store {
    let store = below(process)
    for _ in 0..<reads { try #require(store.integer(forKey: "a") == nil) }
    return store
  }

  /// A domain in a directory that few homes have.
  private func below(_ process: StorageProcess) -> Store {
    let place = Path.join(paths.directory, "below")
    return process.store(
      at: StorePaths(identifier: "below", in: place), rules: StoreRules(isRare: true))
  }

  // S-2, S-3
  @Test func `who found no journal sees at once what is brought into a new one`() throws {
    let place = try Place()
    let stores = (0..<2).map { _ in
      StorageProcess(on: SystemFileSystem(), isAutomatic: false).store(at: place.paths)
    }
    let (writer, reader) = (stores[0], stores[1])
    try writer.set(.integer(1), forKey: "a")
    unlink(place.paths.journal)
    #expect(reader.integer(forKey: "a") == nil)
    reader.table.checkAt = .max
    writer.table.checkAt = 0
    #expect(writer.integer(forKey: "a") == 1)
    #expect(reader.integer(forKey: "a") == 1)
  }
}
