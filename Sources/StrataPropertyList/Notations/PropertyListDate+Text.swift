/// Dates as people read and type them.
extension PropertyListDate {
  /// `2020-01-01 00:00:00 +0000`, without the fraction of a second; nothing for a date that is not
  /// finite or too far away.
  package var text: String? { DateText(self)?.text(separator: " ", zone: " +0000") }

  /// The date that `text` is printed for.
  package init?(text: String) {
    let typed = Array("<*D\(text)>".utf8)
    // A text that could end the typed value early is no date.
    guard text.utf8.allSatisfy({ $0.isDigit || " +-:".utf8.contains($0) }) else { return nil }
    do throws(PropertyListError) {
      guard case .date(let date) = try OpenStepReader.decode(typed) else { return nil }
      self = date
    } catch {
      return nil
    }
  }
}
