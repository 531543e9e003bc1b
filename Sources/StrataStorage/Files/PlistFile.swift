import StrataPropertyList

/// The property list of a domain: read whole, replaced whole. Only `ListSearch` reads parts of it.
struct PlistFile: Sendable {
  let path: String
  let disk: any FileSystem
  /// The domain's place on this machine, if other machines may share the file.
  var machinePlace: MachinePlace?

  /// Reads and judges the file. A file that changes while it is read is read again.
  /// - Parameter limit: a size from which on it is not read.
  func read(ifSmallerThan limit: Int = .max) -> PlistReading {
    var seen: FileStatus?
    do throws(StorageError) {
      for _ in 0..<8 {
        guard let before = try disk.status(of: path) else { return .absent }
        seen = before
        if before.size >= limit {
          throw StorageError(.read, path, reason: "it is too large to be read as a whole")
        }
        guard before.isRegular else {
          return PlistReading(
            status: before, identity: .unknown, content: .malformed("it is not a regular file"))
        }
        if let reason = Limits.refusal(fileSize: before.size) {
          throw StorageError(.read, path, reason: reason)
        }
        guard let bytes = try bytes(before), try disk.status(of: path) == before else { continue }
        return judge(bytes, before)
      }
      throw StorageError(.read, path, reason: "it changes faster than it can be read")
    } catch {
      return PlistReading(status: seen, identity: .unknown, content: .unreadable(error))
    }
  }

  /// The same, unless it is still the file of which this is the reading.
  func read(unless known: FirstReading?) -> PlistReading {
    guard let known = known?.reading else { return read() }
    do throws(StorageError) {
      return try disk.status(of: path) == known.status ? known : read()
    } catch {
      return read()
    }
  }

  /// The bytes of the file with this status; nil if another one has its name, or it has changed.
  private func bytes(_ status: FileStatus) throws(StorageError) -> FileBytes? {
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    // Two names that are exchanged, and exchanged back, look the same before and after.
    guard try disk.status(of: file) == status else { return nil }
    let bytes = try FileBytes(room: status.size) { buffer throws(StorageError) in
      try disk.read(file, at: 0, into: buffer)
    }
    return bytes.count == status.size ? bytes : nil
  }

  /// The same for what lies under a draft's name, having lost its own.
  func read(under number: PlistDraft.Number) throws(StorageError) -> PlistReading {
    var reading = PlistFile(path: draftPath(number, of: try target()), disk: disk).read()
    reading.draft = number
    return reading
  }

  /// The file itself, with links followed: the file system decides which of them may be.
  func target() throws(StorageError) -> String { try disk.resolve(path) }

  private func judge(_ bytes: FileBytes, _ status: FileStatus) -> PlistReading {
    let (verdict, identity) = CheckedPlist.judge(bytes)
    return PlistReading(status: status, identity: identity, content: content(of: bytes, verdict))
  }

  private func content(
    of bytes: FileBytes, _ verdict: consuming CheckedPlist.Verdict
  ) -> PlistReading.Content {
    switch verdict {
    case .intact(let index): return .intact(index)
    case .damaged: return .damaged(CheckedPlist.salvage(bytes))
    case .foreign: break
    }
    do {
      let (value, format) = try PropertyList.decode(bytes.array)
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
