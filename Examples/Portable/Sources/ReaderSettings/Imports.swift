// The only file that knows where the class comes from.
@_exported import Foundation

#if canImport(Strata)
  @_exported import Strata
#endif
