import Foundation
import StrataDomains
public import StrataStorage

/// Where settings are stored, and problems with that.
extension UserDefaults {
  /// The domain of the running program: its bundle's identifier, otherwise `STRATA_APPLICATION_ID`
  /// from the environment, otherwise the executable's name.
  ///
  /// It can be set before it is first used. Setting it later is a programming error and ends the
  /// program.
  @_disfavoredOverload
  public static var applicationIdentifier: String {
    get { Application.identifier.name }
    set {
      do throws(DomainIdentifierError) {
        guard try Application.setIdentifier(newValue) else {
          fatalError(
            "UserDefaults.applicationIdentifier cannot be set to \(newValue.debugDescription): it "
              + "was already used as \(applicationIdentifier.debugDescription); "
              + "set it before anything else")
        }
      } catch {
        fatalError(error.description)
      }
    }
  }

  /// Problems with the domains that this process uses, and what of them was lost or kept aside.
  @_disfavoredOverload
  public static var storageIssues: [StorageIssue] { Store.issuesOfProcess }

  /// Sets the handler of log lines, such as one for each storage issue. Without a handler they are
  /// written to standard error. It is called on a thread of the library.
  @_disfavoredOverload
  public static func setLogHandler(_ handler: (@Sendable (String) -> Void)?) {
    Log.hand(to: handler)
  }
}
