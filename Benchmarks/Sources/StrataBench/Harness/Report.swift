import Foundation

/// What was measured, as tables of Markdown.
final class Report {
  private struct Row {
    let title: String
    var cells: [String: String]
  }

  private struct Table {
    let number: Int
    let title: String
    let note: String
    var columns: [String] = []
    var rows: [Row] = []
  }

  private var tables: [Table] = []
  private var figures: [String: Double] = [:]

  /// Begins a table, or goes on with it.
  func begin(_ title: String, _ note: String = "") {
    print("- \(title)", to: &standardError)
    if let index = tables.firstIndex(where: { $0.title == title }) {
      tables.append(tables.remove(at: index))
    } else {
      tables.append(Table(number: tables.count, title: title, note: note))
    }
  }

  /// Adds a row of times, and behind a peer's the ratio of ours to it.
  func add(_ title: String, _ cells: [(column: String, value: Double)]) {
    let ours = cells.first { $0.column == StrataPeer.name }?.value
    addTexts(
      title,
      cells.map { column, value in
        guard let ours, column != StrataPeer.name else { return (column, Self.time(value)) }
        return (column, "\(Self.time(value)) (\(Self.number(ours / value))×)")
      })
  }

  func addTimes(_ title: String, _ cells: [(column: String, value: Double)]) {
    addTexts(title, cells.map { ($0.column, Self.time($0.value)) })
  }

  func addNumbers(_ title: String, _ cells: [(column: String, value: Double)]) {
    addTexts(title, cells.map { ($0.column, Self.number($0.value)) })
  }

  func addTexts(_ title: String, _ cells: [(column: String, text: String)]) {
    let last = tables.count - 1
    for cell in cells where !tables[last].columns.contains(cell.column) {
      tables[last].columns.append(cell.column)
    }
    tables[last].rows.append(
      Row(title: title, cells: Dictionary(cells.map { ($0.column, $0.text) }) { $1 }))
  }

  /// Keeps a figure for the last table of the report.
  func note(_ figure: String, _ value: Double) { figures[figure] = value }
  func figure(_ name: String) -> Double? { figures[name] }

  func greatest(of prefix: String, except word: String? = nil) -> Double? {
    figures.filter { name, _ in
      name.hasPrefix(prefix) && word.map { !name.contains($0) } != false
    }.values.max()
  }

  func least(of prefix: String, containing word: String) -> Double? {
    figures.filter { $0.key.hasPrefix(prefix) && $0.key.contains(word) }.values.min()
  }

  var markdown: String {
    tables.sorted { $0.number < $1.number }.map(markdown(of:)).joined(separator: "\n")
  }

  private func markdown(of table: Table) -> String {
    let columns = table.columns
    var lines = ["## \(table.title)", ""]
    if !table.note.isEmpty { lines += [table.note, ""] }
    lines.append("| | \(columns.joined(separator: " | ")) |")
    lines.append("|---|" + String(repeating: "---|", count: columns.count))
    for row in table.rows {
      let cells = columns.map { row.cells[$0] ?? "–" }
      lines.append("| \(row.title) | \(cells.joined(separator: " | ")) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1_000: "\(number(nanoseconds)) ns"
    case ..<1_000_000: "\(number(nanoseconds / 1_000)) µs"
    case ..<1_000_000_000: "\(number(nanoseconds / 1_000_000)) ms"
    default: "\(number(nanoseconds / 1_000_000_000)) s"
    }
  }

  /// Three digits that count.
  static func number(_ value: Double) -> String {
    let size = abs(value)
    let digits = size == 0 || size >= 100 ? 0 : size < 0.1 ? 3 : size < 10 ? 2 : 1
    return String(format: "%.\(digits)f", value)
  }
}

/// Standard error, for saying what goes on.
struct StandardError: TextOutputStream {
  mutating func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

// Safety: it has no state.
nonisolated(unsafe) var standardError = StandardError()
