/// Reads arrays and dictionaries, with limits on nesting, cycles and expansion.
extension BinaryReader {
  mutating func array(
    _ header: BinaryObjectHeader, _ number: Int
  ) throws(PropertyListError) -> [PropertyListValue] {
    try enter(header, number, references: header.count)
    var elements: [PropertyListValue] = []
    elements.reserveCapacity(header.count)
    for position in 0..<header.count {
      objectsPending -= 1
      elements.append(try value(ofObject: try reference(position, of: header)))
    }
    path.removeLast()
    return elements
  }

  mutating func dictionary(
    _ header: BinaryObjectHeader, _ number: Int
  ) throws(PropertyListError) -> [String: PropertyListValue] {
    try enter(header, number, references: 2 * header.count)
    var entries = [String: PropertyListValue](minimumCapacity: header.count)
    for position in 0..<header.count {
      objectsPending -= 2
      let key = try key(ofObject: try reference(position, of: header))
      let value = try value(ofObject: try reference(header.count + position, of: header))
      entries[key] = value
    }
    path.removeLast()
    return entries
  }

  /// The object number at a position of an array, or of a dictionary, whose keys precede its
  /// values.
  package func reference(
    _ position: Int, of header: BinaryObjectHeader
  ) throws(PropertyListError) -> Int {
    let offset = header.content + position * referenceSize
    guard let number = objects.bigEndian(at: offset, width: referenceSize) else {
      throw .truncated(at: offset)
    }
    guard let number = Int(exactly: number) else {
      throw .at(offset, .malformed, "there is no object \(number); restore the file from a backup")
    }
    return number
  }

  @inline(never)
  private mutating func enter(
    _ header: BinaryObjectHeader, _ number: Int, references: Int
  ) throws(PropertyListError) {
    guard objects.slice(at: header.content, length: references * referenceSize) != nil else {
      throw .truncated(at: header.offset)
    }
    guard references <= objectsLeft - objectsPending else {
      throw expandsTooFar(at: header.offset)
    }
    guard depth + path.count < PropertyListLimits.nesting else {
      throw path.contains(number) ? cycle(at: header.offset) : .nestedTooDeep(at: header.offset)
    }
    path.append(number)
    objectsPending += references
  }

  private func cycle(at offset: Int) -> PropertyListError {
    .at(
      offset, .cycle,
      "an array or a dictionary contains itself; remove the cycle")
  }
}
