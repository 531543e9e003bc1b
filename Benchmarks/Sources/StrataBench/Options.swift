import Foundation

/// What the command line asks for.
struct Options {
  /// The parts of the report, in their order.
  enum Part: String, CaseIterable {
    case floors, read, threads, cost, set, tails, sync, fill, first, visible, told, observers, idle
    case contend, program, command, keys
  }

  var isQuick = false
  var parts = Part.allCases
  /// Where stores are made: on the disk whose speed is meant.
  var directory = ""
  /// Where the shared objects of the peers are.
  var peers = ""

  static let usage = """
    usage: StrataBench --directory DIRECTORY [--peers DIRECTORY] [--quick] [--only PART,…]
    parts: \(Part.allCases.map(\.rawValue).joined(separator: ", "))
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw BenchError("\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--directory": directory = try value(of: argument)
      case "--peers": peers = try value(of: argument)
      case "--only":
        parts = try value(of: argument).split(separator: ",").map { name in
          guard let part = Part(rawValue: String(name)) else {
            throw BenchError("there is no part \(name)\n\(Self.usage)")
          }
          return part
        }
      default: throw BenchError("\(argument)?\n\(Self.usage)")
      }
    }
    if directory.isEmpty { throw BenchError(Self.usage) }
  }
}
