package import StrataPropertyList

/// What a domain's owner decides about its files.
package struct StoreRules: Sendable {
  /// Gives the reason why the files do not count now; nil if they do. Throws if that can't be told
  /// at the moment: then what is known stays in effect.
  package var distrust: Distrust?
  /// Gives the values that a domain without files begins with; throws if they can't be read now.
  package var firstValues: FirstValues?
  /// Called before a journal is made to store something.
  package var beforeStoring: (@Sendable () -> Void)?
  /// Whether most homes don't even have the domain's directory. Then a reader does not make it, but
  /// the one around it.
  package var isRare: Bool

  package typealias Distrust = @Sendable () throws(StorageError) -> String?
  package typealias FirstValues =
    @Sendable () throws(StorageError) -> [String: PropertyListValue]

  package init(
    distrust: Distrust? = nil, firstValues: FirstValues? = nil, isRare: Bool = false
  ) {
    self.distrust = distrust
    self.firstValues = firstValues
    self.isRare = isRare
  }
}
