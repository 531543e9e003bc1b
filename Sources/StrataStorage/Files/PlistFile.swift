import StrataPropertyList

/// The property list of a domain: read whole, or searched for a few keys; replaced whole.
struct PlistFile: Sendable {
  let path: String
  let disk: any FileSystem
  /// The domain's place on this machine, if other machines may share the file.
  var machinePlace: MachinePlace?

  /// Reads and judges the file. A file that changes while it is read is read again.
  ///
  /// - Parameter searching: whether a few keys are wanted, so that of a large file of ours, as far
  ///   as its end tells that it is one, no more should be read than these need.
  func read(searching: Bool = false) -> PlistReading {
    judged { () throws(StorageError) in
      try disk.status(of: path)
    } reading: { status throws(StorageError) in
      let file = try disk.open(path, .read)
      var isTaken = false
      defer { if !isTaken { disk.close(file) } }
      // Two names that are exchanged, and exchanged back, look the same before and after.
      guard try disk.status(of: file) == status else { return nil }
      if searching, let unread = try UnreadPlist(self, file, status) {
        isTaken = true
        return .unread(unread)
      }
      return .bytes(try disk.read(file, at: 0, count: status.size))
    }
  }

  /// The same for a file that is open already, whatever has its name by now.
  func read(_ file: FileID) -> PlistReading {
    judged { () throws(StorageError) in
      try disk.status(of: file)
    } reading: { status throws(StorageError) in
      .bytes(try disk.read(file, at: 0, count: status.size))
    }
  }

  private enum Found {
    case bytes([UInt8])
    case unread(UnreadPlist)
  }

  private func judged(
    _ look: () throws(StorageError) -> FileStatus?,
    reading: (FileStatus) throws(StorageError) -> Found?
  ) -> PlistReading {
    var seen: FileStatus?
    do throws(StorageError) {
      for _ in 0..<8 {
        guard let before = try look() else { return .absent }
        seen = before
        guard before.isRegular else {
          return PlistReading(
            status: before, identity: .unknown, content: .malformed("it is not a regular file"))
        }
        if let reason = PropertyListLimits.refusal(fileSize: before.size) {
          throw StorageError(.read, path, reason: reason)
        }
        guard let found = try reading(before), try look() == before else { continue }
        switch found {
        case .unread(let file):
          return PlistReading(status: before, identity: file.identity, content: .unread(file))
        case .bytes(let bytes) where bytes.count == before.size: return judge(bytes, before)
        case .bytes: continue
        }
      }
      throw StorageError(.read, path, reason: "it changes faster than it can be read")
    } catch {
      return PlistReading(status: seen, identity: .unknown, content: .unreadable(error))
    }
  }

  /// The same for what lies under a draft's name, having lost its own.
  func read(under number: PlistDraft.Number) throws(StorageError) -> PlistReading {
    var reading = PlistFile(path: draftPath(number, of: try target()), disk: disk).read()
    reading.draft = number
    return reading
  }

  /// The file itself, with links followed: the file system decides which of them may be.
  func target() throws(StorageError) -> String { try disk.resolve(path) }

  private func judge(_ bytes: [UInt8], _ status: FileStatus) -> PlistReading {
    let (verdict, identity) = CheckedPlist.judge(bytes)
    return PlistReading(status: status, identity: identity, content: content(of: bytes, verdict))
  }

  private func content(
    of bytes: [UInt8], _ verdict: CheckedPlist.Verdict
  ) -> PlistReading.Content {
    switch verdict {
    case .intact(let index): return .intact(index)
    case .damaged: return .damaged(CheckedPlist.salvage(bytes))
    case .foreign: break
    }
    do {
      let (value, format) = try PropertyList.decode(bytes)
      guard case .dictionary(let values) = value else {
        return .malformed("its top level is not a dictionary")
      }
      return .foreign(values, format)
    } catch {
      return .malformed(error.description)
    }
  }
}

extension PlistReading {
  static let absent = PlistReading(status: nil, identity: .absent, content: .absent)
}
