/// Converts dates to and from the text that people read and type.
extension PropertyListDate {
  /// `2020-01-01 00:00:00 +0000`, without the fraction of a second; nil for a date that is not
  /// finite or out of range.
  package var text: String? { DateText(self)?.text(separator: " ", zone: " +0000") }

  /// Parses a text of this form.
  package init?(text: String) {
    let typed = Array("<*D\(text)>".utf8)
    // Other characters, such as `>`, could end the typed value early.
    guard text.utf8.allSatisfy({ $0.isDigit || " +-:".utf8.contains($0) }) else { return nil }
    do throws(PropertyListError) {
      guard case .date(let date) = try OpenStepReader.decode(typed) else { return nil }
      self = date
    } catch {
      return nil
    }
  }
}
