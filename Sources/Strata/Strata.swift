// What an application imports: all of Foundation, with this `UserDefaults` in the place of its own.
// A scoped re-export wins over what a module re-exports whole, also beside `import Foundation`.
@_exported public import Foundation
@_exported public import Observation
@_exported public import StrataDefaults
@_exported public import class StrataDefaults.UserDefaults
@_exported public import enum StrataPropertyList.PropertyListValue
@_exported public import struct StrataPropertyList.PropertyListDate
