package import StrataPropertyList

/// The volatile domain that a command line is: `-key value`, as many times as one likes.
///
/// A program may have options of its own beside, which are passed over: `--long`, words that belong
/// to no key, and everything behind `--`. Of a key that is given twice the last value counts.
package enum ArgumentDomain {
  /// The domain of the running process; bytes that are no text were mended by the runtime.
  package static func current() -> [String: PropertyListValue] {
    parse(CommandLine.arguments.dropFirst())
  }

  /// The domain that arguments make, without the one that names the program.
  package static func parse(_ arguments: some Sequence<String>) -> [String: PropertyListValue] {
    var domain: [String: PropertyListValue] = [:]
    var key: String?
    for argument in arguments {
      guard begins(argument) else {
        if let key { domain[key] = ArgumentValue.value(of: argument) }
        key = nil
        continue
      }
      if argument.utf8.elementsEqual("--".utf8) { break }
      key = self.key(in: argument)
    }
    return domain
  }

  /// Compared by bytes: a hyphen with a combining character is a hyphen to a shell.
  private static func begins(_ argument: some StringProtocol) -> Bool {
    argument.utf8.first == UInt8(ascii: "-")
  }

  /// What follows one hyphen; nothing for a hyphen alone and for `--long`.
  private static func key(in argument: String) -> String? {
    let name = String(Substring(argument.utf8.dropFirst()))
    return name.isEmpty || begins(name) ? nil : name
  }
}
