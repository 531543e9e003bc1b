// A file that imports XCTest, which re-exports Foundation, and Strata.
import Strata
import XCTest

func classBesideXCTest() -> ObjectIdentifier { ObjectIdentifier(UserDefaults.self) }
