import Glibc
import StrataTesting
import Testing

@testable import StrataStorage

/// What a process knows of paths while there are more of them than it remembers.
struct ManyPathsTests {
  // S-1
  @Test func `a domain in use is one object, however many were opened and have ended since`() throws
  {
    let place = try Place()
    let process = StorageProcess(on: SystemFileSystem(), isAutomatic: false)
    var kept: [Int: Store] = [:]
    for number in 0..<600 {
      let store = process.store(at: paths(number, in: place))
      if number % 5 == 0 { kept[number] = store }
    }
    for (number, store) in kept {
      #expect(process.store(at: paths(number, in: place)) === store, "domain \(number)")
    }
    let inOrder = kept.sorted { $0.key < $1.key }.map(\.value.paths.plist)
    #expect(process.openStores.map(\.paths.plist) == inOrder)
  }

  // S-22
  @Test func `who can change a path is told, however many others were looked at`() throws {
    let place = try Place()
    let trust = PathTrust()
    let directories = (0..<300).map { "\(place.directory)/\($0)" }
    for (number, directory) in directories.enumerated() {
      try #require(mkdir(directory, 0o700) == 0)
      if number % 3 == 0 { try #require(chmod(directory, 0o777) == 0) }
    }
    // All are asked for twice: in turn, and from the last one on, while some are remembered.
    for number in Array(directories.indices) + directories.indices.reversed() {
      let standing = trust.standing(of: directories[number], for: geteuid())
      #expect(standing == (number % 3 == 0 ? .shared : .safe), "directory \(number)")
    }
    #expect(trust.standing(of: place.directory + "/none", for: geteuid()) == .missing)
  }

  private func paths(_ number: Int, in place: Place) -> StorePaths {
    StorePaths(identifier: "com.example.domain\(number)", in: place.directory)
  }
}
