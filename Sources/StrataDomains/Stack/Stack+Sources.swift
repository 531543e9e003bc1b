package import StrataPropertyList
package import StrataStorage

/// Shows people where the values of a search list come from.
extension Stack {
  /// One domain of the search list, even if it does not exist or is not trusted.
  package struct Source: Sendable {
    package let place: Place
    package let identifier: DomainIdentifier
    /// Its file; nil for a domain in memory.
    package let paths: StorePaths?
    /// Its values; nil if it does not exist.
    package let layer: Layer?
    /// Why the file is ignored.
    package let distrust: Distrust?

    init(
      _ place: Place, _ identifier: DomainIdentifier, _ paths: StorePaths?, _ layer: Layer?,
      _ distrust: Distrust?
    ) {
      self.place = place
      let isGlobal =
        [.globalHost, .global, .globalEveryone].contains(place)
        || place.needsTrust && paths?.isGlobal == true
      self.identifier = isGlobal ? .global : identifier
      self.paths = paths
      self.layer = layer
      self.distrust = distrust
    }

    package func value(forKey key: String) -> PropertyListValue? { layer?.value(forKey: key) }
  }

  /// Every non-volatile domain of the list, in search order.
  package func sources() -> [Source] {
    let trust = Trust(in: places)
    var sources: [Source] = []
    for place in Place.allCases where !place.isVolatile {
      forEachIdentifier(in: place) { identifier in
        let layers = process.layers(of: identifier, in: place, places)
        let paths = places.stores(of: identifier, in: place)
        if paths.isEmpty {
          sources += layers.map { Source(place, identifier, nil, $0, nil) }
        }
        sources += paths.map { paths in
          let layer = layers.first { layer in
            if case .file(let store) = layer { store.paths == paths } else { false }
          }
          let distrust = place.needsTrust ? trust.distrust(of: paths) : nil
          return Source(place, identifier, paths, layer, distrust)
        }
      }
    }
    return sources
  }

  /// Watches the list: `body` is called, on a thread of the library, when a value may have changed.
  ///
  /// - Returns: an object that keeps the watch alive.
  package func watch(_ body: @escaping @Sendable () -> Void) -> AnyObject {
    let watch = StackWatch(self, body)
    watch.start()
    return watch
  }
}

extension StorePaths {
  /// Whether, in a place that has both, this is the global domain's file and not the identifier's:
  /// no other name becomes that of this file.
  var isGlobal: Bool {
    Path.stem(of: Path.name(of: plist), ending: ".plist") == DomainIdentifier.global.fileName
  }
}
