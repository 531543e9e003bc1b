import StrataDomains
import StrataStorage

/// Finds the identifier of the application that `-app` names.
///
/// The identifier of a desktop entry is its file's name, `org.example.Editor` for
/// `org.example.Editor.desktop`; the entry is found by that or by the name that menus show. The
/// identifier of a program without an entry is its own name, as it is for the program itself.
struct ApplicationLookup {
  let console: any Console
  let surroundings: ProcessSurroundings

  func identifier(of name: String) throws(Failure) -> String {
    if name.utf8.contains(UInt8(ascii: "/")) {
      if console.isProgram(name) { return Path.name(of: name) }
    } else if let entry = try entry(named: name) ?? program(named: name) {
      return entry
    }
    throw Failure(
      "Couldn't find an application named \"\(name)\"; defaults unchanged. Neither a desktop entry "
        + "nor a program in PATH has that name.")
  }

  /// The identifiers of all desktop entries, as far as they can be read.
  var identifiers: [String] {
    Set(directories.flatMap { entries(in: $0).names }).sorted()
  }

  /// Throws if there may be an entry where none can be read: a program of that name could be
  /// another application.
  private func entry(named name: String) throws(Failure) -> String? {
    let wanted = name.lowercased()
    var obstacle: Failure?
    for directory in directories {
      let entries = entries(in: directory)
      obstacle = obstacle ?? entries.obstacle
      for file in entries.names {
        if file.lowercased() == wanted { return file }
        let path = Path.join(directory, file + ".desktop")
        if shownName(ofEntry: path)?.lowercased() == wanted { return file }
      }
    }
    if let obstacle { throw obstacle }
    return nil
  }

  private func entries(in directory: String) -> (names: [String], obstacle: Failure?) {
    do throws(Failure) {
      return (try console.names(in: directory, ending: ".desktop").sorted(), nil)
    } catch {
      return ([], error)
    }
  }

  /// The value of `Name=` in the entry's first group.
  private func shownName(ofEntry path: String) -> String? {
    do throws(Failure) {
      let lines = String(decoding: try console.read(path), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: true)
      guard let start = lines.firstIndex(of: "[Desktop Entry]") else { return nil }
      let group = lines[(start + 1)...].prefix { !$0.hasPrefix("[") }
      return group.first { $0.hasPrefix("Name=") }.map { String($0.dropFirst(5)) }
    } catch {
      return nil  // an entry that can't be read has no name
    }
  }

  private func program(named name: String) -> String? {
    guard !name.isEmpty else { return nil }
    let isThere = SearchPath(console: console).directories.contains {
      console.isProgram(Path.join($0, name))
    }
    return isThere ? name : nil
  }

  private var directories: [String] {
    surroundings.dataDirectories.map { Path.join($0, "applications") }
  }
}

/// The directories that are searched for programs.
struct SearchPath {
  let console: any Console

  var directories: [String] {
    (console.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      .map(String.init).filter { $0.hasPrefix("/") }
  }
}
