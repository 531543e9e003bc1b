import StrataPropertyList
import StrataStorage

/// The last changes of a domain's own values, whoever made them.
struct ChangeLog {
  /// One change, of one or several keys at once.
  struct Entry {
    let number: Int
    var time: String
    /// The page that made it; nil if another program did.
    let page: String?
    var keys: [KeyChange]
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
  /// How much the entries may take together, in bytes of what the page is sent.
  private static let sizeMax = 4 << 20

  /// The newest last.
  private(set) var entries: [Entry] = []
  private var count = 0
  private var sizes: [Int] = []

  mutating func add(_ keys: [KeyChange], by page: String?, at time: String) -> Entry {
    count += 1
    let entry = Entry(number: count, time: time, page: page, keys: keys)
    entries.append(entry)
    sizes.append(entry.json.bytes.count)
    while entries.count > Self.entriesMax || entries.count > 1 && sizes.reduce(0, +) > Self.sizeMax
    {
      entries.removeFirst()
      sizes.removeFirst()
    }
    return entry
  }

  /// Carries on a change of one key, as while a slider is dragged, so that one undo takes back all
  /// of it.
  /// - Returns: nil if it is not this page's last change of that key.
  mutating func carryOn(
    _ number: Int?, with change: KeyChange, by page: String?, at time: String
  ) -> Entry? {
    guard
      let place = entries.lastIndex(where: { $0.keys.contains { $0.key == change.key } }),
      entries[place].number == number, entries[place].page == page, !entries[place].isUndone,
      let first = entries[place].keys.first, entries[place].keys.count == 1
    else { return nil }
    entries[place].keys = [KeyChange(key: change.key, old: first.old, new: change.new)]
    entries[place].time = time
    sizes[place] = entries[place].json.bytes.count
    return entries[place]
  }

  /// Whether none of its keys was changed since.
  func isLast(_ entry: Entry) -> Bool {
    !entries.contains { later in
      later.number > entry.number
        && later.keys.contains { key in entry.keys.contains { $0.key == key.key } }
    }
  }

  func entry(_ number: Int) -> Entry? { entries.first { $0.number == number } }

  /// - Returns: the entry as it is now; nil if it is too old.
  mutating func markUndone(_ number: Int) -> Entry? {
    guard let place = entries.firstIndex(where: { $0.number == number }) else { return nil }
    entries[place].isUndone = true
    return entries[place]
  }
}
