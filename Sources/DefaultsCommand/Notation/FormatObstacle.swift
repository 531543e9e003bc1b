import StrataPropertyList

/// A part of a value that a format can't hold, such as a control character in XML.
struct FormatObstacle {
  /// The keys and positions that lead there.
  let path: [String]
  let error: PropertyListError

  /// The first one in `value`; nil if each of its parts can be written by itself.
  static func first(
    in value: PropertyListValue, for format: PropertyListFormat, at path: [String] = []
  ) -> FormatObstacle? {
    switch value {
    case .array(let elements):
      for (position, element) in elements.enumerated() {
        let place = path + [String(position)]
        if let found = first(in: element, for: format, at: place) { return found }
      }
      return nil
    case .dictionary(let entries):
      for (key, entry) in KeySorting.sorted(entries) {
        let found =
          first(in: .string(key), for: format, at: path + [key])
          ?? first(in: entry, for: format, at: path + [key])
        if let found { return found }
      }
      return nil
    default:
      do throws(PropertyListError) {
        _ = try PropertyList.encode(.array([value]), as: format)
        return nil
      } catch {
        return FormatObstacle(path: path, error: error)
      }
    }
  }

  /// The path for a person to read, with a colon; empty for the value itself.
  static func prefix(_ path: [String]) -> String {
    path.isEmpty ? "" : ShownName.text(of: path.joined(separator: ".")) + ": "
  }
}
