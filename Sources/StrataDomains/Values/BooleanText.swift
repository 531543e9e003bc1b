/// Parses texts that are exactly a Boolean.
package enum BooleanText {
  /// `YES`, `true` or `1`, and `NO`, `false` or `0`, ignoring case; nil for any other text.
  package static func value(of text: String) -> Bool? {
    let bytes = text.utf8
    switch bytes.count {
    case 1: return isSame(bytes, "1") ? true : isSame(bytes, "0") ? false : nil
    case 2: return isSame(bytes, "no") ? false : nil
    case 3: return isSame(bytes, "yes") ? true : nil
    case 4: return isSame(bytes, "true") ? true : nil
    case 5: return isSame(bytes, "false") ? false : nil
    default: return nil
    }
  }

  private static func isSame(_ bytes: String.UTF8View, _ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      bytes.elementsEqual(word) { $0 == $1 || $1 >= UInt8(ascii: "a") && $0 | 0x20 == $1 }
    }
  }
}
