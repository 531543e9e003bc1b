import StrataTesting

@testable import StrataStorage

/// What is left of a machine.
extension FaultMachine {
  /// The machine as it is after all its processes died at this moment.
  func afterDeath() -> FaultMachine {
    let copy = FaultMachine(kind)
    copy.copyNumbers(of: self)
    copy.boot = boot
    var files: [UInt64: FaultFile] = [:]
    for (path, file) in names {
      let twin = files[file.number] ?? FaultFile(copying: file, bytes: file.bytes)
      files[file.number] = twin
      copy.names[path] = twin
    }
    copy.durableNames = copy.names
    return copy
  }

  /// The machine as it is after it was shut down and started at this moment.
  func afterRestart() -> FaultMachine {
    let copy = afterDeath()
    copy.boot = boot + 1
    return copy
  }

  /// The machine as it may be after a power cut at this moment.
  func afterPowerCut(using generator: inout SeededGenerator) -> FaultMachine {
    let copy = FaultMachine(kind)
    copy.copyNumbers(of: self)
    copy.boot = boot + 1
    var surviving = durableNames
    for directory in unsynced.keys.sorted() {
      let changes = unsynced[directory] ?? []
      for change in changes.prefix(Int.random(in: 0...changes.count, using: &generator)) {
        for (path, file) in change { surviving[path] = file }
      }
    }
    for directory in unsyncedDirectories.sorted() where Bool.random(using: &generator) {
      let isGone = { (path: String) in path == directory || path.hasPrefix(directory + "/") }
      copy.directories = copy.directories.filter { !isGone($0) }
      surviving = surviving.filter { !isGone($0.key) }
    }
    if kind == .sharedInMemory {
      copy.directories = copy.directories.filter { !Self.isCommon($0) || $0 == "/var/tmp" }
      surviving = surviving.filter { !Self.isCommon($0.key) }
    }
    if Bool.random(using: &generator) {
      for (path, file) in returning
      where surviving[path] == nil && copy.directories.contains(Path.directory(of: path)) {
        if Int.random(in: 0..<3, using: &generator) == 0 { surviving[path] = file }
      }
    }
    var files: [UInt64: FaultFile] = [:]
    for path in surviving.keys.sorted() {
      guard let file = surviving[path] else { continue }
      let twin =
        files[file.number]
        ?? FaultFile(copying: file, bytes: Self.survivingBytes(of: file, using: &generator))
      files[file.number] = twin
      copy.names[path] = twin
    }
    copy.durableNames = copy.names
    return copy
  }

  private var returning: [(path: String, file: FaultFile)] {
    if !forgetsReplaced { return pastNames }
    return Dictionary(pastNames.map { ($0.path, $0.file) }) { $1 }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  private func copyNumbers(of other: FaultMachine) {
    directories.formUnion(other.directories)
    clock = other.clock
    searchSizeMin = other.searchSizeMin
    nextNumber = other.nextNumber
    forgetsReplaced = other.forgetsReplaced
  }

  private static func survivingBytes(
    of file: FaultFile, using generator: inout SeededGenerator
  ) -> [UInt8] {
    let old = file.durable
    let new = file.bytes
    if old == new { return old }
    if new.isEmpty { return Bool.random(using: &generator) ? old : new }
    let count = Bool.random(using: &generator) ? new.count : min(old.count, new.count)
    var result = [UInt8](repeating: 0, count: count)
    for sector in stride(from: 0, to: result.count, by: 512) {
      let end = min(sector + 512, result.count)
      let torn = sector + 8 * Int.random(in: 0...64, using: &generator)
      let choice = Int.random(in: 0..<3, using: &generator)
      for index in sector..<end {
        let takesNew = choice == 0 || (choice == 1 && index < torn)
        let source = takesNew ? new : old
        result[index] = index < source.count ? source[index] : 0
      }
    }
    return result
  }
}
