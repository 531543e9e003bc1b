import Foundation
import StrataPropertyList

/// Prints the median time to read and to write lists of several sizes, ours beside the toolchain's.
@main
enum Load {
  static let rounds = 11

  static func main() throws {
    print("keys format operation ours(ms) Foundation(ms)")
    for count in [100, 10_000, 100_000] {
      let ours = PropertyListValue.dictionary(sample(count))
      let theirs = sample(count).mapValues { object($0) }
      for (format, theirFormat) in [(PropertyListFormat.binary, Format.binary), (.xml, .xml)] {
        let bytes = try PropertyList.encode(ours, as: format)
        let data = Data(bytes)
        report(
          count, format, "read", { _ = try PropertyList.decode(bytes, as: format) },
          { _ = try PropertyListSerialization.propertyList(from: data, format: nil) })
        report(
          count, format, "write", { _ = try PropertyList.encode(ours, as: format) },
          {
            _ = try PropertyListSerialization.data(
              fromPropertyList: theirs, format: theirFormat, options: 0)
          })
      }
    }
  }

  typealias Format = PropertyListSerialization.PropertyListFormat

  private static func sample(_ count: Int) -> [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [:]
    for number in 0..<count {
      let key = "key" + String(10_000_000_000_000 + number * 7919).suffix(13)
      switch number % 3 {
      case 0: entries[key] = .boolean(true)
      case 1: entries[key] = .integer(Int64(number * 1000))
      default: entries[key] = .string("value number \(number)")
      }
    }
    return entries
  }

  private static func object(_ value: PropertyListValue) -> Any {
    switch value {
    case .boolean(let value): value
    case .integer(let value): value
    case .string(let value): value
    default: 0
    }
  }

  private static func report(
    _ count: Int, _ format: PropertyListFormat, _ operation: String, _ ours: () throws -> Void,
    _ theirs: () throws -> Void
  ) {
    print(count, format, operation, median(ours), median(theirs))
  }

  private static func median(_ work: () throws -> Void) -> String {
    let times = (0..<rounds).map { _ in
      ContinuousClock().measure {
        do { try work() } catch { fatalError("\(error)") }
      }
    }
    return String(format: "%.3f", times.sorted()[rounds / 2] / .milliseconds(1))
  }
}
