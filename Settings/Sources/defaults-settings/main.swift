import CPage
import Glibc
import SettingsPage

// Serves the Settings page of a domain, or of a bundle: `defaults settings open DOMAIN|BUNDLE`.

let usage = """
  usage: defaults settings open <domain|bundle> [--port <port>]

  Serves a page on this machine on which a person sees and changes the settings, and
  prints its address. The address works once. The page ends with Control-C, and after
  15 minutes in which it is not open anywhere.

  """

/// What the arguments ask for; nil if they are wrong.
func parse(_ arguments: [String]) -> (target: String, port: UInt16)? {
  guard arguments.first == "open" else { return nil }
  var rest = arguments.dropFirst()
  var (target, port) = (String?.none, UInt16(0))
  while let word = rest.popFirst() {
    if word == "--port" {
      guard let number = rest.popFirst().flatMap({ UInt16($0) }) else { return nil }
      port = number
    } else if target == nil, !word.hasPrefix("-") {
      target = word
    } else {
      return nil
    }
  }
  return target.map { ($0, port) }
}

func fail(_ text: String, _ code: Int32) -> Never {
  var text = text
  text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  exit(code)
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.first == "help" {
  print(usage, terminator: "")
  exit(0)
}
guard let wanted = parse(arguments) else { fail(usage, 255) }
page_open_standard_streams()
page_block_signals()
if page_end_with_parent() == 0 { exit(0) }
do {
  let service = try WebService(wanted.target, port: wanted.port)
  print(service.address)
  // Nobody could open a page whose address was not printed.
  if fflush(nil) != 0 { fail("defaults settings: the address can't be printed\n", 1) }
  service.run()
  exit(0)
} catch {
  fail("defaults settings: \(error)\n", 1)
}
