import StrataPropertyList

/// Finds a key of a domain's file by binary search, comparing keys where they lie in the file.
///
/// Safety: a search lives inside the call that lends the file to its reader.
struct KeySearch {
  let reader: BinaryReader
  let dictionary: BinaryObjectHeader

  /// The position of a key that is written with exactly these characters.
  func position(of key: String) -> Int? {
    var key = key
    return key.withUTF8 { sought in
      var range = 0..<dictionary.count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        guard let found = text(ofKeyAt: middle) else { return nil }
        let order = found.order(to: sought)
        if order == 0 { return middle }
        range = order < 0 ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
      }
      return nil
    }
  }

  /// The key at a position, if it is not written in ASCII.
  func rareKey(at position: Int) -> String? {
    guard let found = text(ofKeyAt: position), !found.isASCII else { return nil }
    return found.string
  }

  private func text(ofKeyAt position: Int) -> BinaryText? {
    do throws(PropertyListError) {
      let object = try reader.reference(position, of: dictionary)
      return reader.text(of: try reader.header(ofObject: object))
    } catch {
      return nil
    }
  }
}
