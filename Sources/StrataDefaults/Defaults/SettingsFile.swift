import StrataPropertyList
import StrataStorage

/// A property list that comes with a program, as a file.
enum SettingsFile {
  /// The dictionary that the file holds, in whatever notation.
  static func dictionary(
    at path: String
  ) throws(DefaultsError) -> [String: PropertyListValue] {
    guard case .dictionary(let values) = try value(at: path) else {
      throw DefaultsError(
        path: path, reason: "its top level is not a dictionary; give each value a key")
    }
    return values
  }

  private static func value(at path: String) throws(DefaultsError) -> PropertyListValue {
    let bytes = try bytes(of: path)
    do throws(PropertyListError) {
      return try PropertyList.decode(bytes).value
    } catch {
      throw DefaultsError(path: path, reason: error.description)
    }
  }

  private static func bytes(of path: String) throws(DefaultsError) -> [UInt8] {
    do {
      let disk = SystemFileSystem()
      if let status = try disk.status(of: path), status.isRegular {
        let bytes = try disk.bytes(of: path, atMost: Limits.fileSizeMax + 1)
        let size = max(status.size, bytes.count)
        guard let reason = Limits.refusal(fileSize: size) else { return bytes }
        throw DefaultsError(path: path, reason: reason)
      }
    } catch let error as DefaultsError {
      throw error
    } catch {
      throw DefaultsError(path: path, reason: "\(error)")
    }
    throw DefaultsError(path: path, reason: "no such file")
  }
}
