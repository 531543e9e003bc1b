package import StrataPropertyList

/// The volatile domain that a command line forms: any number of `-key value` pairs.
///
/// A program's own options are skipped: `--long`, words that belong to no key, and everything after
/// `--`. If a key is given twice, the last value counts.
package enum ArgumentDomain {
  /// The domain of the running process; the runtime has repaired arguments that are not valid
  /// UTF-8.
  package static func current() -> [String: PropertyListValue] {
    ThisProcess.mayHaveOptions ? parse(ThisProcess.arguments.dropFirst()) : Dictionary()
  }

  /// The domain that these arguments form; they don't include the program's name.
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

  /// Compares bytes: a hyphen with a combining character is still a hyphen to a shell.
  private static func begins(_ argument: some StringProtocol) -> Bool {
    argument.utf8.first == UInt8(ascii: "-")
  }

  /// The text after a single hyphen; nil for a lone hyphen and for `--long`.
  private static func key(in argument: String) -> String? {
    let name = String(Substring(argument.utf8.dropFirst()))
    return name.isEmpty || begins(name) ? nil : name
  }
}
