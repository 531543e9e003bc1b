import StrataPropertyList

/// The property list of a domain: read whole, replaced whole.
struct PlistFile: Sendable {
  let path: String
  let disk: any FileSystem

  /// Reads and judges the file. A file that changes while it is read is read again.
  func read() -> PlistReading {
    var seen: FileStatus?
    do throws(StorageError) {
      for _ in 0..<8 {
        _ = try target()
        guard let before = try disk.status(of: path) else { return .absent }
        seen = before
        guard before.isRegular else {
          return PlistReading(
            status: before, identity: .unknown, content: .malformed("it is not a regular file"))
        }
        let bytes = try bytes(count: before.size)
        guard try disk.status(of: path) == before, bytes.count == before.size else { continue }
        return judge(bytes, before)
      }
      throw StorageError(.read, path, reason: "it changes faster than it can be read")
    } catch {
      // A file that we may not read stays so until its permissions change, and is put aside by the
      // next flush. Any other trouble may pass: the file must be looked at again, and not be lost.
      return PlistReading(
        status: error.code == SystemCode.denied ? seen : nil, identity: .unknown,
        content: .unreadable(error))
    }
  }

  /// The file itself, links followed: someone's own links only, since a link in another user's
  /// directory would have us read and write where that user may not.
  func target() throws(StorageError) -> String {
    let target = try disk.resolve(path)
    guard target != path, let owner = try disk.status(of: Path.directory(of: path))?.owner else {
      return target
    }
    guard owner.user == disk.user else {
      throw StorageError(
        .open, path, reason: "it is a link in a directory of another user; replace it by a file")
    }
    return target
  }

  private func bytes(count: Int) throws(StorageError) -> [UInt8] {
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    return try disk.read(file, at: 0, count: count)
  }

  private func judge(_ bytes: [UInt8], _ status: FileStatus) -> PlistReading {
    PlistReading(status: status, identity: PlistIdentity(of: bytes), content: content(of: bytes))
  }

  private func content(of bytes: [UInt8]) -> PlistReading.Content {
    switch CheckedPlist.inspect(bytes) {
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
