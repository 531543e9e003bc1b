package import StrataPropertyList

/// Prints and encodes values.
extension Session {
  /// Prints a value in a format, with warnings about what it does not preserve, or as `read` does.
  package func print(_ value: PropertyListValue, as format: NamedFormat?) throws(Failure) {
    guard let format else { return try printText(DescriptionText.text(of: value)) }
    if format == .binary, console.isTerminal(.output) {
      throw Failure("a binary property list can't be shown on a terminal; redirect it to a file")
    }
    let bytes = try encode(value, as: format)
    guard console.isTerminal(.output) else { return try console.write(bytes, to: .output) }
    let text = String(decoding: bytes, as: UTF8.self)
    switch format {
    case .json: try console.write(ShownName.escapedJSON(text))
    case .xml: try console.write(ShownName.escapedXML(text))
    case .openstep, .gnustep, .binary: try console.write(text)  // OpenStep text escapes them all
    }
  }

  /// Prints what domains hold: byte for byte, but on a terminal, which a control character could
  /// drive, with those escaped.
  package func printText(_ text: String) throws(Failure) {
    try self.print(console.isTerminal(.output) ? ShownName.escaped(text, but: "\n\t") : text)
  }

  /// Prints the values of several domains as one dictionary.
  func print(
    _ domains: [(domain: NamedDomain, values: [String: PropertyListValue])],
    as format: NamedFormat?
  ) throws(Failure) {
    guard let format else {
      return try printText(
        DescriptionText.text(of: domains.map { ($0.domain.listedName, .dictionary($0.values)) }))
    }
    var all: [String: PropertyListValue] = [:]
    for (domain, values) in domains {
      let name = domain.listedName
      if all[name] == nil {
        all[name] = .dictionary(values)
      } else {
        note(
          "warning: \(format.title) does not preserve \(name): the name of another domain is the "
            + "same key; read that domain by its name")
      }
    }
    try self.print(.dictionary(all), as: format)
  }

  /// Prints the old and new values of each key that differs, with a sign before each.
  package func print(_ difference: Difference) throws(Failure) {
    let style = style
    for (name, change) in KeySorting.sorted(difference.changes) {
      let key = ShownName.text(of: name)
      let (old, new) = try Difference.texts(of: change)
      if let old { try self.print(style.red("- \(key) = \(old)")) }
      if let new { try self.print(style.green("+ \(key) = \(new)")) }
    }
  }

  func encode(
    _ value: PropertyListValue, as format: NamedFormat
  ) throws(Failure) -> [UInt8] {
    var value = value
    if format == .openstep {
      let plain = try PlainOpenStep(value)
      value = plain.value
      if let warning = plain.warning { note(warning) }
    }
    // In JSON, dates are texts anyway.
    let written = format == .json ? ShownValue.value(value) : value
    let bytes: [UInt8]
    do throws(PropertyListError) {
      bytes = try PropertyList.encode(written, as: format.format, around: ShownValue.levelsMax)
    } catch {
      let path = FormatObstacle.path(in: written, for: format.format) ?? []
      throw Failure("cannot write \(format.title): \(FormatObstacle.prefix(path))\(error)")
    }
    for loss in PropertyList.losses(of: value, as: format.format) {
      let place = FormatObstacle.prefix(loss.path)
      note("warning: \(format.title) does not preserve \(place)\(loss.what)")
    }
    return bytes
  }
}

extension NamedDomain {
  /// Its name in a list of all domains.
  var listedName: String { self == .global ? "Global Domain" : shown }

  /// The same for the domain with this name.
  static func listedName(of name: String) -> String {
    name == global.shown ? global.listedName : name
  }
}
