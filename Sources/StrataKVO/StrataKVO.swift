// For code that overrides `observeValue`: what `Strata` has, and an `NSObject` that observes.
// A scoped re-export wins over what a module re-exports whole, also beside `import Foundation`.
@_exported public import Strata
@_exported public import class StrataDefaults.UserDefaults
@_exported public import class StrataNSObject.NSObject
