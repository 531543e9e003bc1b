import StrataPropertyList

/// Finds a key of a domain's file by binary search, comparing keys where they lie in the file.
///
/// Safety: a search lives inside the call that lends the file to its reader. Keys are slices that
/// `ByteView` has checked, compared up to the shorter count or through `nextScalar`, which checks.
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
        guard let found = bytes(ofKeyAt: middle) else { return nil }
        let order = found.isASCII ? compare(found.text, sought) : compareUTF16(found.text, sought)
        if order == 0 { return middle }
        range = order < 0 ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
      }
      return nil
    }
  }

  /// The key at a position, if it is not written in ASCII.
  func rareKey(at position: Int) -> String? {
    guard let found = bytes(ofKeyAt: position), !found.isASCII else { return nil }
    return String(bigEndianUTF16: found.text)
  }

  private func bytes(ofKeyAt position: Int) -> (text: UnsafeRawBufferPointer, isASCII: Bool)? {
    do throws(PropertyListError) {
      let object = try reader.reference(position, of: dictionary)
      let header = try reader.header(ofObject: object)
      return reader.text(of: header)
    } catch {
      return nil
    }
  }

  private func compare(_ key: UnsafeRawBufferPointer, _ sought: UnsafeBufferPointer<UInt8>) -> Int {
    let shared = min(key.count, sought.count)
    for offset in 0..<shared where key[offset] != sought[offset] {
      return key[offset] < sought[offset] ? -1 : 1
    }
    return key.count - sought.count
  }

  /// Compares by scalars, whose order is that of their bytes in UTF-8.
  private func compareUTF16(
    _ key: UnsafeRawBufferPointer, _ sought: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var position = 0
    for scalar in String(decoding: sought, as: UTF8.self).unicodeScalars {
      guard let next = key.nextScalar(&position) else { return -1 }
      if next != scalar { return next < scalar ? -1 : 1 }
    }
    return key.count - position
  }
}
