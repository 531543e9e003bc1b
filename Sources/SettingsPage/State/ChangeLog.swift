import StrataPropertyList
import StrataStorage

/// The last changes of a domain's own values, whoever made them.
struct ChangeLog {
  /// One change, of one or several keys at once.
  struct Entry {
    let number: Int
    let time: String
    /// The page that made it; nil if another program did.
    let page: String?
    let keys: [KeyChange]
    var isUndone = false

    var json: JSON {
      .object([
        "number": .number(Double(number)), "time": .text(time),
        "writer": .text(page == nil ? "elsewhere" : "page"), "page": JSON(page),
        "keys": .list(keys.map(\.json)), "isUndone": .flag(isUndone),
      ])
    }
  }

  struct KeyChange: Equatable {
    let key: String
    let old: PropertyListValue?
    let new: PropertyListValue?

    var json: JSON { .object(["key": .text(key), "old": JSON(old), "new": JSON(new)]) }
  }

  private static let entriesMax = 200

  /// The newest last.
  private(set) var entries: [Entry] = []
  private var count = 0

  mutating func add(_ keys: [KeyChange], by page: String?, at time: String) -> Entry {
    count += 1
    let entry = Entry(number: count, time: time, page: page, keys: keys)
    entries.append(entry)
    if entries.count > Self.entriesMax { entries.removeFirst() }
    return entry
  }

  func entry(_ number: Int) -> Entry? { entries.first { $0.number == number } }

  /// - Returns: the entry as it is now; nil if it is too old.
  mutating func markUndone(_ number: Int) -> Entry? {
    guard let place = entries.firstIndex(where: { $0.number == number }) else { return nil }
    entries[place].isUndone = true
    return entries[place]
  }
}
