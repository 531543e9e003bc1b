// Measures Strata beside its peers and prints the report; see the package's README.

import Foundation

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  if arguments.first == "child" {
    try ChildTask.run(Array(arguments.dropFirst()))
  } else {
    print(try Session(Options(arguments)).run())
  }
} catch {
  print("StrataBench: \(error)", to: &standardError)
  exit(1)
}
