package import StrataStorage
import Synchronization

/// The people who can log in, from a file that is read only if it was changed since.
package final class PasswordFile: Sendable {
  private struct Known {
    var status: FileStatus?
    var people: [String] = []
  }

  private let path: String
  private let disk: Disk
  private let known = Mutex(Known())

  package init(_ path: String, on disk: Disk = Disk()) {
    self.path = path
    self.disk = disk
  }

  /// As long as the file can't be read, those that were last in it.
  package var people: [String] {
    do throws(StorageError) {
      let file = WholeFile(path, on: disk)
      // Before the content: a change in between is noticed the next time.
      let status = try file.status()
      if let people = known.withLock({ $0.status == status && status != nil ? $0.people : nil }) {
        return people
      }
      let people = HostFiles.people(try file.read() ?? [])
      known.withLock { $0 = Known(status: status, people: people) }
      return people
    } catch {
      return known.withLock { $0.people }
    }
  }
}
