import StrataPropertyList
import StrataStorage

/// The registry of what is fuzzed: each case is a target of `Scripts/fuzz`.
enum FuzzTarget: String, CaseIterable {
  case binary, xml, openStep, json, guess, checked, journal, archive, urlArchive, command, bundle
  /// Fail on purpose, so that the fuzzer itself is seen to find failures, also behind checksums.
  case canary, journalCanary, archiveCanary, urlArchiveCanary, commandCanary, bundleCanary

  /// Feeds one input to the code; a trap or a failed precondition is a finding.
  func run(_ bytes: [UInt8]) {
    switch self {
    case .binary: Checks.roundTrip(bytes, .binary)
    case .xml: Checks.roundTrip(bytes, .xml)
    case .openStep: Checks.roundTrip(bytes, .openStep)
    case .json: Checks.roundTrip(bytes, .json)
    case .guess: Checks.guess(bytes)
    case .checked: Checks.checkedPlist(bytes)
    case .journal: Checks.journal(bytes)
    case .archive: Checks.archive(bytes)
    case .urlArchive: Checks.urlArchive(bytes)
    case .command: Checks.command(bytes)
    case .bundle: Checks.bundle(bytes)
    case .canary: Checks.canary(bytes)
    case .journalCanary: Checks.journalCanary(bytes)
    case .archiveCanary: Checks.archiveCanary(bytes)
    case .urlArchiveCanary: Checks.urlArchiveCanary(bytes)
    case .commandCanary: Checks.commandCanary(bytes)
    case .bundleCanary: Checks.bundleCanary(bytes)
    }
  }
}
