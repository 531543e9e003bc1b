import Foundation

/// A program that loads Foundation, and ends.
@main
enum Main {
  static func main() { precondition(!ProcessInfo.processInfo.arguments.isEmpty) }
}
