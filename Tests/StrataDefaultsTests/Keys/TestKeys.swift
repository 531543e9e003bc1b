import Foundation
import StrataDefaults

import class StrataDefaults.UserDefaults

enum Theme: String, StorableValue, CaseIterable { case system, light, dark }

struct Layout: Codable, StorableValue, Equatable {
  var columns = 1
  var names: [String] = []
}

/// The keys of the tests, as a program declares its own.
extension UserDefaults.Keys {
  static let theme = Key("Theme", default: Theme.system)
  static let isWide = Key("IsWide", default: false)
  static let fontSize = Key(
    "FontSize", default: 12, in: 6...72, title: "Font size", description: "In points.")
  static let columns = Key("Columns", default: 2, choices: [1, 2, 4])
  static let nickname = Key<String?>("Nickname")
  static let token = Key("Token", default: 0, isRedacted: true)
  static let layout = Key("Layout", default: Layout())
  static let counter = Key("Counter", default: 0)

  static func recent(_ id: Int) -> Key<Int> { Key("recent.\(id)", default: 0) }
}

/// What came in, from whatever thread.
final class Box<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [Element] = []

  var all: [Element] { lock.withLock { kept } }
  var count: Int { all.count }
  func add(_ element: Element) { lock.withLock { kept.append(element) } }
}
