package import StrataPropertyList

/// What a program would take from a whole journal.
extension JournalBytes {
  /// The values of a domain to which all change sets in these bytes are applied.
  package static func values(in bytes: [UInt8]) -> [String: PropertyListValue] {
    let content = DomainValues(Table())
    content.apply(scan(bytes))
    return content.all()
  }
}
