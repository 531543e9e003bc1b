// Reads archives of URLs, of which anyone may have written any byte.

import Foundation
import StrataPropertyList

extension URLArchive {
  /// How many bases a URL may stand on: more than any has, few enough for a chain that is a ring.
  private static let basesMax = 64

  /// The URL in an archive; nil for bytes that are no archive of a URL.
  static func url(in bytes: [UInt8]) -> URL? {
    guard let objects = Objects(bytes), var place = objects.root else { return nil }
    var texts: [String] = []
    repeat {
      guard texts.count <= basesMax, let (text, base) = objects.url(at: place) else { return nil }
      texts.append(text)
      place = base
    } while place != 0
    var url: URL?
    for text in texts.reversed() {
      url = URL(string: text, relativeTo: url)
      if url == nil { return nil }
    }
    return url
  }

  /// The objects of an archive that is being read; a UID in it is a guess until it is looked up.
  private struct Objects {
    private let all: [PropertyListValue]
    let root: UInt64?

    init?(_ bytes: [UInt8]) {
      guard case .dictionary(let archive) = URLArchive.propertyList(in: bytes),
        archive["$archiver"] == .string(archiver), archive["$version"] == .integer(version),
        case .array(let objects) = archive["$objects"],
        case .dictionary(let top) = archive["$top"], case .uid(let root) = top["root"]
      else { return nil }
      all = objects
      self.root = root
    }

    /// A URL's text and the place of its base, 0 for none.
    func url(at place: UInt64) -> (text: String, base: UInt64)? {
      guard case .dictionary(let object) = self[place],
        case .uid(let classPlace) = object["$class"],
        case .dictionary(let described) = self[classPlace],
        described["$classname"] == .string(className),
        case .uid(let textPlace) = object["NS.relative"], textPlace != 0,
        case .string(let text) = self[textPlace]
      else { return nil }
      switch object["NS.base"] {
      case nil: return (text, 0)
      case .uid(let base): return (text, base)
      default: return nil
      }
    }

    private subscript(place: UInt64) -> PropertyListValue? {
      place < all.count ? all[Int(place)] : nil
    }
  }

  /// The property list in binary or XML, the two that an archiver writes; nil for any other bytes,
  /// which are data that someone stored and no error.
  private static func propertyList(in bytes: [UInt8]) -> PropertyListValue? {
    let format: PropertyListFormat = bytes.starts(with: "bplist".utf8) ? .binary : .xml
    do {
      return try PropertyList.decode(bytes, as: format)
    } catch {
      return nil
    }
  }
}
