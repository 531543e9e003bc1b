import Foundation
import StrataPropertyList

/// The keyed archive of one URL: what `NSKeyedArchiver` writes for an `NSURL` on Apple's platforms.
///
///     $archiver  "NSKeyedArchiver"
///     $version   100000
///     $top       { root: UID 1 }
///     $objects   0  "$null"
///                1  { $class: UID c, NS.base: UID 0 or that of another such, NS.relative: UID }
///                …  the text of the URL, as it is relative to its base
///                c  { $classes: [NSURL, NSObject], $classname: NSURL }
///
/// It is written and read here and not by Foundation, whose archiver loses the base of a URL on the
/// way through `NSURL`, and whose unarchiver makes instances of what an archive names.
enum URLArchive {
  static let archiver = "NSKeyedArchiver"
  static let version: Int64 = 100_000
  static let className = "NSURL"

  static func bytes(of url: URL) -> [UInt8] {
    var objects = ArchivedObjects()
    let root = objects.add(url)
    let archive = PropertyListValue.dictionary([
      "$archiver": .string(archiver), "$version": .integer(version),
      "$top": .dictionary(["root": .uid(root)]), "$objects": .array(objects.all),
    ])
    do {
      return try PropertyList.encode(archive, as: .binary)
    } catch {
      preconditionFailure("an archive of a URL is a property list: \(error)")
    }
  }

  /// The objects of an archive that is being written, in the order of Apple's archiver: a place is
  /// taken when an object begins, and its class comes behind its parts.
  private struct ArchivedObjects {
    private(set) var all: [PropertyListValue] = [.string("$null")]
    private var classPlace: UInt64?

    mutating func add(_ url: URL) -> UInt64 {
      let place = append(.dictionary([:]))
      let base = url.baseURL.map { add($0) } ?? 0
      let relative = append(.string(url.relativeString))
      all[Int(place)] = .dictionary([
        "$class": .uid(addClass()), "NS.base": .uid(base), "NS.relative": .uid(relative),
      ])
      return place
    }

    private mutating func addClass() -> UInt64 {
      if let classPlace { return classPlace }
      let place = append(
        .dictionary([
          "$classname": .string(className),
          "$classes": .array([.string(className), .string("NSObject")]),
        ]))
      classPlace = place
      return place
    }

    private mutating func append(_ object: PropertyListValue) -> UInt64 {
      all.append(object)
      return UInt64(all.count - 1)
    }
  }
}
