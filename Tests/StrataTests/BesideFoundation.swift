// A file that imports Foundation and Strata, as those do that are adopted one by one.
import Foundation
import Strata
import StrataDefaults

let ours = ObjectIdentifier(StrataDefaults.UserDefaults.self)

func classBesideFoundation() -> ObjectIdentifier { ObjectIdentifier(UserDefaults.self) }

func classOfFoundation() -> ObjectIdentifier { ObjectIdentifier(Foundation.UserDefaults.self) }

extension UserDefaults {
  static var markOfExtension: String {
    ObjectIdentifier(UserDefaults.self) == ours ? "ours" : "another"
  }
}

/// The name belongs to whoever declares it.
private enum AppStorage { static let isOwn = true }

let isNameFree = AppStorage.isOwn
