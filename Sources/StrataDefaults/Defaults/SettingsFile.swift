import StrataPropertyList
import StrataStorage

/// A property list that comes with a program, as a file.
enum SettingsFile {
  /// The dictionary that the file holds, in whatever notation.
  static func dictionary(
    at path: String
  ) throws(RegistrationError) -> [String: PropertyListValue] {
    guard case .dictionary(let values) = try value(at: path) else {
      throw RegistrationError(path, "its top level is no dictionary; give each value a key")
    }
    return values
  }

  private static func value(at path: String) throws(RegistrationError) -> PropertyListValue {
    let bytes = try bytes(of: path)
    do throws(PropertyListError) {
      return try PropertyList.decode(bytes).value
    } catch {
      throw RegistrationError(path, error.description)
    }
  }

  private static func bytes(of path: String) throws(RegistrationError) -> [UInt8] {
    do {
      let disk = SystemFileSystem()
      if let status = try disk.status(of: path), status.isRegular {
        let bytes = try read(path, disk)
        let size = max(status.size, bytes.count)
        guard let reason = PropertyListLimits.refusal(fileSize: size) else { return bytes }
        throw RegistrationError(path, reason)
      }
    } catch let error as RegistrationError {
      throw error
    } catch {
      throw RegistrationError(path, "\(error)")
    }
    throw RegistrationError(path, "there is no such file")
  }

  private static func read(
    _ path: String, _ disk: SystemFileSystem
  ) throws(StorageError) -> [UInt8] {
    let file = try disk.openAny(path)
    defer { disk.close(file) }
    var bytes: [UInt8] = []
    while bytes.count <= PropertyListLimits.fileSize {
      let part = try disk.read(file, at: bytes.count, count: 1 << 16)
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }
}
