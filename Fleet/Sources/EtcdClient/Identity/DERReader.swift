/// Reads the elements of a DER encoding, in which certificates and keys are written.
///
/// Nothing is thrown: what is not as it should be is nil, and the caller knows which file it is.
struct DERReader {
  struct Element {
    let tag: UInt8
    let content: ArraySlice<UInt8>
    /// With its tag and length.
    let whole: ArraySlice<UInt8>

    /// What is in it, if it is of this kind.
    func reader(_ kind: Kind) -> DERReader? {
      tag == kind.rawValue ? DERReader(content) : nil
    }
  }

  enum Kind: UInt8 {
    case integer = 0x02
    case bits = 0x03
    case bytes = 0x04
    case shortTime = 0x17
    case longTime = 0x18
    case sequence = 0x30
    case option0 = 0xA0
    case option1 = 0xA1
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var nextTag: UInt8? { rest.first }

  /// Nil at the end, and if what follows is no element.
  mutating func next() -> Element? {
    let start = rest
    guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let short = rest.popFirst() else {
      return nil
    }
    var length = Int(short)
    if short >= 0x80 {
      // No file of ours has elements whose length has more bytes.
      guard (1...3).contains(short & 0x7F) else { return nil }
      length = 0
      for _ in 0..<(short & 0x7F) {
        guard let byte = rest.popFirst() else { return nil }
        length = length << 8 | Int(byte)
      }
    }
    guard length <= rest.count else { return nil }
    let content = rest.prefix(length)
    rest = rest.dropFirst(length)
    return Element(tag: tag, content: content, whole: start[..<content.endIndex])
  }

  /// The content of the next element, if it is of this kind.
  mutating func next(_ kind: Kind) -> ArraySlice<UInt8>? {
    guard nextTag == kind.rawValue else { return nil }
    return next()?.content
  }

  /// What is in the next element, if it is of this kind.
  mutating func inside(_ kind: Kind) -> DERReader? { next(kind).map { DERReader($0) } }

  /// The next element as whole bytes, the first of which says that no bits are unused.
  mutating func bits() -> ArraySlice<UInt8>? {
    guard let content = next(.bits), content.first == 0 else { return nil }
    return content.dropFirst()
  }
}
