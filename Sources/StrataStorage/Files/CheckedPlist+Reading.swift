package import StrataPropertyList

/// Finds keys and values in an intact file.
///
/// Safety: each call lends the bytes to a reader that ends with it; they are never changed, and
/// `ByteView` checks every access, so a false trailer or count leads to no value.
extension CheckedPlist {
  /// The keys and values of an intact file, each found and decoded when it is asked for.
  ///
  /// Opening costs nothing: keys are compared where they lie in the file. Reads stay within the
  /// file even if it was made to match its checksum and is otherwise nonsense.
  // An object: an optional struct of several parts is a type that the runtime has to make.
  package final class Index: Sendable {
    private let bytes: FileBytes
    private let trailer: BinaryTrailer
    private let dictionary: BinaryObjectHeader
    private let rareKeys = RareKeys()

    package var count: Int { dictionary.count }
    /// The size of the whole file.
    var byteCount: Int { bytes.count }

    init?(_ bytes: FileBytes, _ trailer: BinaryTrailer) {
      let dictionary = bytes.withUnsafeBytes { buffer -> BinaryObjectHeader? in
        BinaryReader.topDictionary(ByteView(buffer), trailer)
      }
      guard let dictionary else { return nil }
      self.bytes = bytes
      self.trailer = trailer
      self.dictionary = dictionary
    }

    /// What the file says that it holds; nil if no checkpoint wrote it.
    var held: JournalKnowledge? {
      guard let length = dictionary.length(referenceSize: trailer.referenceSize) else { return nil }
      let end = dictionary.offset + length
      guard end <= trailer.tableOffset else { return nil }
      return bytes.withUnsafeBytes { HeldRecords.read($0[end..<trailer.tableOffset]) }
    }

    /// All keys and values, in the order of the file.
    package func entries() -> [(key: String, value: PropertyListValue)] {
      var entries: [(key: String, value: PropertyListValue)] = []
      entries.reserveCapacity(count)
      forEachEntry { entries.append(($0, $1)) }
      return entries
    }

    /// Calls `body` with each key and its value, in the order of the file.
    func forEachEntry(_ body: (String, PropertyListValue) -> Void) {
      bytes.withUnsafeBytes { buffer in
        var reader = BinaryReader(ByteView(buffer), trailer, depth: 1)
        for position in 0..<count {
          guard let entry = entry(at: position, &reader) else { continue }
          body(entry.key, entry.value)
        }
      }
    }

    /// The value of a key, in whatever composition its characters are stored.
    package func value(forKey key: String) -> PropertyListValue? {
      bytes.withUnsafeBytes { buffer in
        var reader = BinaryReader(ByteView(buffer), trailer, depth: 1)
        let keys = KeySearch(reader: reader, dictionary: dictionary)
        guard let position = keys.position(of: key) ?? equivalent(of: key, keys) else {
          return nil
        }
        return value(at: position, &reader)
      }
    }

    private func equivalent(of key: String, _ keys: KeySearch) -> Int? {
      guard RareKeys.mayEqualAnother(key) else { return nil }
      return rareKeys.position(of: key, in: keys)
    }

    private func entry(
      at position: Int, _ reader: inout BinaryReader
    ) -> (key: String, value: PropertyListValue)? {
      do throws(PropertyListError) {
        let key = try reader.key(ofObject: reader.reference(position, of: dictionary))
        guard let value = value(at: position, &reader) else { return nil }
        return (key, value)
      } catch {
        return nil
      }
    }

    private func value(at position: Int, _ reader: inout BinaryReader) -> PropertyListValue? {
      do throws(PropertyListError) {
        let object = try reader.reference(count + position, of: dictionary)
        return try reader.value(ofObject: object)
      } catch {
        return nil
      }
    }
  }
}
