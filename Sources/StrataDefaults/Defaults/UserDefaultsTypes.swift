public import Foundation

/// The superclass of ``UserDefaults``, in which the types are declared that are written after its
/// name, as in `UserDefaults.Key`.
///
/// What a program declares itself has priority: with its own `extension UserDefaults { enum Key }`,
/// `UserDefaults.Key` means that type everywhere in the program. It would be ambiguous if the class
/// itself declared a type of this name. Ours can then be written `UserDefaultsTypes.Key`.
open class UserDefaultsTypes: NSObject {
  /// The type of a member that does not exist. There is no value of it, and no need to write it: it
  /// is what the compiler speaks of where a name is neither a member of ``UserDefaults`` nor that
  /// of a declared key.
  @dynamicCallable
  public enum NoSuchMember: Sendable {
    /// Lets the compiler report the name of an unknown method, rather than its arguments.
    public func dynamicallyCall(withArguments arguments: [Any]) -> NoSuchMember { switch self {} }
  }
}
