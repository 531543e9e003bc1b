import StrataPropertyList

/// A part of a value that a format can't hold, such as a control character in XML.
enum FormatObstacle {
  /// The keys and positions that lead to the first one in `value`; nil if each of its parts can be
  /// written by itself.
  static func path(
    in value: PropertyListValue, for format: PropertyListFormat, after path: [String] = []
  ) -> [String]? {
    switch value {
    case .array(let elements):
      for (position, element) in elements.enumerated() {
        let place = path + [String(position)]
        if let found = self.path(in: element, for: format, after: place) { return found }
      }
      return nil
    case .dictionary(let entries):
      for (key, entry) in KeySorting.sorted(entries) {
        let place = path + [key]
        let found =
          self.path(in: .string(key), for: format, after: place)
          ?? self.path(in: entry, for: format, after: place)
        if let found { return found }
      }
      return nil
    default:
      do throws(PropertyListError) {
        _ = try PropertyList.encode(.array([value]), as: format)
        return nil
      } catch {
        return path
      }
    }
  }

  /// The path for a person to read, with a colon; empty for the value itself.
  static func prefix(_ path: [String]) -> String {
    path.isEmpty ? "" : ShownName.text(of: path.joined(separator: ".")) + ": "
  }
}
