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
    do throws(StorageError) {
      let disk = SystemFileSystem()
      if let status = try disk.status(of: path), status.isRegular {
        return try read(path, disk)
      }
    } catch {
      throw RegistrationError(path, error.description)
    }
    throw RegistrationError(path, "there is no such file")
  }

  private static func read(
    _ path: String, _ disk: SystemFileSystem
  ) throws(StorageError) -> [UInt8] {
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    var bytes: [UInt8] = []
    while true {
      let part = try disk.read(file, at: bytes.count, count: 1 << 16)
      if part.isEmpty { return bytes }
      bytes += part
    }
  }
}
