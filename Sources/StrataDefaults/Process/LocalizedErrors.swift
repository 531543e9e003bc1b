// What `localizedDescription` says of the errors of the targets that do not know Foundation.

public import Foundation
public import StrataPropertyList
public import StrataStorage

extension StorageError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension PropertyListError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
