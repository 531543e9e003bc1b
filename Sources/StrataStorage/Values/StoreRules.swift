package import StrataPropertyList

/// What a domain's owner decides about its files.
package struct StoreRules: Sendable {
  /// Why the files do not count, as long as they do not.
  package var distrust: (@Sendable () -> String?)?
  /// What a domain that never was used begins with.
  package var firstValues: (@Sendable () -> [String: PropertyListValue])?

  package init(
    distrust: (@Sendable () -> String?)? = nil,
    firstValues: (@Sendable () -> [String: PropertyListValue])? = nil
  ) {
    self.distrust = distrust
    self.firstValues = firstValues
  }
}
