import Foundation
import StrataDomains
public import StrataStorage

/// What a program may ask and say about where its settings are kept.
extension UserDefaults {
  /// The domain of the running program: its bundle's identifier, else `STRATA_APPLICATION_ID` from
  /// the environment, else the executable's name.
  ///
  /// It can be set before it is first used; later that is a mistake, and ends the program.
  public static var applicationIdentifier: String {
    get { Application.identifier.name }
    set {
      do throws(DomainIdentifierError) {
        guard try Application.setIdentifier(newValue) else {
          fatalError(
            "UserDefaults.applicationIdentifier can't become \(newValue.debugDescription): it was "
              + "used as \(applicationIdentifier.debugDescription) before; set it first of all")
        }
      } catch {
        fatalError(error.description)
      }
    }
  }

  /// What stands in the way of the domains that this process uses, and what of them was lost or
  /// kept aside.
  public static var storageIssues: [StorageIssue] { Store.issuesOfProcess }

  /// Where a line goes that a person should read, such as one for each storage issue: to standard
  /// error, unless this says otherwise. It is called on a thread of ours.
  public static func setLogHandler(_ handler: (@Sendable (String) -> Void)?) {
    Log.hand(to: handler)
  }
}
