import Foundation
import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataStorage

/// What must hold for every input, besides that nothing traps.
enum Checks {
  /// What is read can be written and is then read again as the same value.
  static func roundTrip(_ bytes: [UInt8], _ format: PropertyListFormat) {
    guard let value = decode(bytes, format) else { return }
    guard PropertyList.losses(of: value, as: format).isEmpty else { return }
    guard let again = encode(value, format) else { return }
    precondition(decode(again, format) == normalized(value, format), "a value changed")
  }

  static func guess(_ bytes: [UInt8]) {
    do throws(PropertyListError) {
      let (value, format) = try PropertyList.decode(bytes)
      precondition(decode(bytes, format) == value)
    } catch {
      precondition(!error.description.isEmpty)
    }
  }

  /// A file is intact, damaged or foreign; what an intact one lists, it also finds, read or only
  /// searched.
  static func checkedPlist(_ bytes: [UInt8]) {
    for candidate in [bytes, CheckedPlist.resigned(bytes)] {
      let salvage = CheckedPlist.salvage(candidate)
      precondition(salvage.damagedCount >= 0)
      let bytes = CheckedPlist.encode(salvage.entries)
      guard case .intact(let own) = CheckedPlist.inspect(bytes) else {
        preconditionFailure("our own file is not intact")
      }
      precondition(own.count == salvage.entries.count, "an entry is not written")
      for entry in own.entries() {
        precondition(own.value(forKey: entry.key) != nil, "a key is not found")
        precondition(!isMissed(entry.key, in: bytes), "a key is not found by a search")
      }
      for entry in salvage.entries.prefix(100) { _ = isMissed(entry.key, in: candidate) }
      guard case .intact(let index) = CheckedPlist.inspect(candidate) else { continue }
      for entry in index.entries().prefix(100) { _ = index.value(forKey: entry.key) }
    }
  }

  /// Whether a search proves, wrongly for a key that is there, that it is not.
  private static func isMissed(_ key: String, in bytes: [UInt8]) -> Bool {
    guard var search = RecordSearch(bytes) else { return false }
    do throws(StorageError) {
      if case .absent = try search.find(key) { return true }
    } catch {
      preconditionFailure("bytes in memory can always be read: \(error)")
    }
    return false
  }

  /// What is read of a journal can be written into another one, and is then read again; a domain
  /// has the values that it sets.
  static func journal(_ bytes: [UInt8]) {
    for candidate in [bytes, JournalBytes.resigned(bytes)] {
      let changeSets = JournalBytes.changeSets(in: candidate)
      precondition(
        JournalBytes.changeSets(in: JournalBytes.encode(changeSets)) == changeSets,
        "a change set changed")
      var values: [String: PropertyListValue] = [:]
      for changes in changeSets {
        if changes.replacesAll { values = [:] }
        for change in changes.changes { values[change.key] = change.value }
      }
      precondition(JournalBytes.values(in: candidate) == values, "a value changed")
    }
  }

  /// An archive is refused with a reason, or can be written again.
  static func archive(_ bytes: [UInt8]) {
    for candidate in [bytes, CheckedPlist.resigned(bytes)] {
      do throws(ArchiveError) {
        let archive = try Archive(candidate)
        let again = try Archive(archive.checkedBytes())
        precondition(again == archive, "an archive changed")
      } catch {
        precondition(!error.reason.isEmpty)
      }
    }
  }

  /// What an archive has is no URL, or one that is written and read again as the same.
  static func urlArchive(_ bytes: [UInt8]) {
    guard let url = URLArchive.url(in: bytes) else { return }
    let again = URLArchive.url(in: URLArchive.bytes(of: url))
    precondition(again == url && again?.relativeString == url.relativeString, "a URL changed")
  }

  /// What fails says why and changes nothing.
  static func command(_ bytes: [UInt8]) {
    let home = CommandHome.only
    let before = home.seed
    guard let outcome = home.run(bytes), !outcome.isSuccess else { return }
    precondition(outcome.isTold, "a failure without a word")
    precondition(home.seed == before, "what failed changed something")
  }

  /// What is read of a bundle can be checked, and shown, and is the same when it is written and
  /// read again.
  static func bundle(_ bytes: [UInt8]) {
    guard let (bundle, problems) = BundleHome.bundle(bytes) else { return }
    precondition(problems.allSatisfy { !$0.text.isEmpty })
    _ = BundleCheck.problems(of: bundle)
    let translator = bundle.texts.translator(into: ["de"])
    for setting in bundle.settings {
      do throws(Setting.Refusal) {
        try setting.check(try setting.value(of: "1", translator))
      } catch {
        precondition(!error.text.isEmpty)
      }
    }
    guard let files = written(bundle), files.allSatisfy({ BundleHome.files.contains($0.path) })
    else { return }
    guard let again = BundleHome.bundle(of: files.map { ($0.path, $0.bytes) }) else {
      preconditionFailure("what was written is no bundle")
    }
    precondition(again.bundle.settings.count == bundle.settings.count, "a setting was lost")
    precondition(again.bundle.defaultValues.count == bundle.defaultValues.count)
  }

  private static func written(_ bundle: SettingsBundle) -> [SettingsBundle.File]? {
    do throws(PropertyListError) {
      return try bundle.files()
    } catch {
      // A text with characters that XML does not have.
      precondition(error.kind == .notRepresentable)
      return nil
    }
  }

  /// Another key than the seed's is found if the child pane is reached.
  static func bundleCanary(_ bytes: [UInt8]) {
    guard let pane = BundleHome.bundle(bytes)?.bundle.pane(named: "Child") else { return }
    precondition(pane.specifiers.allSatisfy { $0.key == "seed" }, "the canary sings")
  }

  /// A change of the seed's only key to another one is found if records are reached.
  static func journalCanary(_ bytes: [UInt8]) {
    let changes = JournalBytes.changeSets(in: JournalBytes.resigned(bytes)).flatMap(\.changes)
    precondition(changes.allSatisfy { $0.key == "seed" }, "the canary sings")
  }

  /// A change of the seed's only domain is found if the archive's files are reached.
  static func archiveCanary(_ bytes: [UInt8]) {
    do throws(ArchiveError) {
      let archive = try Archive(CheckedPlist.resigned(bytes))
      precondition(archive.domains.keys.allSatisfy { $0.text == "seed" }, "the canary sings")
    } catch {}
  }

  /// Another URL than the seeds' is found if the archive's objects are.
  static func urlArchiveCanary(_ bytes: [UInt8]) {
    guard let url = URLArchive.url(in: bytes) else { return }
    precondition(url.absoluteString.hasPrefix("http://seed/"), "the canary sings")
  }

  /// Another domain than the seeds' is found if commands do what they are told.
  static func commandCanary(_ bytes: [UInt8]) {
    let home = CommandHome.only
    guard home.run(bytes) != nil else { return }
    precondition(home.domains.allSatisfy { $0 == CommandHome.seedName }, "the canary sings")
  }

  static func canary(_ bytes: [UInt8]) {
    precondition(!bytes.starts(with: "bpx".utf8), "the canary sings")
  }

  private static func decode(_ bytes: [UInt8], _ format: PropertyListFormat) -> PropertyListValue? {
    do throws(PropertyListError) {
      return try PropertyList.decode(bytes, as: format)
    } catch {
      precondition(!error.description.isEmpty)
      return nil
    }
  }

  private static func encode(_ value: PropertyListValue, _ format: PropertyListFormat) -> [UInt8]? {
    do throws(PropertyListError) {
      return try PropertyList.encode(value, as: format)
    } catch {
      precondition(error.kind == .notRepresentable, "what was read cannot be written")
      return nil
    }
  }

  /// A value as it is read again: all NaNs are one in text.
  private static func normalized(
    _ value: PropertyListValue, _ format: PropertyListFormat
  ) -> PropertyListValue {
    switch value {
    case .array(let elements): .array(elements.map { normalized($0, format) })
    case .dictionary(let entries): .dictionary(entries.mapValues { normalized($0, format) })
    case .real(let real) where real.isNaN && format != .binary: .real(.nan)
    default: value
    }
  }
}
