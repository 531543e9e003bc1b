import StrataPropertyList

/// Escapes names of domains, keys and files in output for people: a control character could drive
/// the terminal or begin another line.
package enum ShownName {
  /// The name itself or, if it contains such a character, as an OpenStep string.
  package static func text(of name: String) -> String {
    guard name.unicodeScalars.contains(where: isControl) else { return name }
    do throws(PropertyListError) {
      let bytes = try PropertyList.encode(.string(name), as: .openStep)
      return String(decoding: bytes.dropLast(), as: UTF8.self)
    } catch {
      return name.debugDescription
    }
  }

  /// A text with such characters, but for some, escaped as in OpenStep strings.
  package static func escaped(_ text: String, but kept: String = "\n") -> String {
    func mustGo(_ scalar: Unicode.Scalar) -> Bool {
      isControl(scalar) && !kept.unicodeScalars.contains(scalar)
    }
    guard text.unicodeScalars.contains(where: mustGo) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      result += mustGo(scalar) ? escaped(scalar) : String(scalar)
    }
    return result
  }

  /// JSON with such characters as JSON's own escapes; newlines outside of strings stay.
  package static func escapedJSON(_ json: String) -> String {
    var result = ""
    for scalar in json.unicodeScalars {
      guard isControl(scalar), scalar != "\n" else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
    return result
  }

  /// XML with such characters as references; newlines and tabs, which lay it out, stay.
  static func escapedXML(_ xml: String) -> String {
    var result = ""
    for scalar in xml.unicodeScalars {
      if isControl(scalar), scalar != "\n", scalar != "\t" {
        result += "&#x\(String(scalar.value, radix: 16));"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let (start, base, count) = scalar.isASCII ? ("\\", 8, 3) : ("\\U", 16, 4)
    let digits = String(scalar.value, radix: base)
    return start + String(repeating: "0", count: count - digits.utf8.count) + digits
  }

  /// The C0 and C1 controls, delete, the separators of lines and paragraphs, and what changes the
  /// direction of what follows.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
