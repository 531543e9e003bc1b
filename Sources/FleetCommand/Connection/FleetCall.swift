package import DefaultsCommand
import FleetModel
package import RevisionedStore
import StrataDomains
import StrataPropertyList

/// A verb with its parsed arguments, and the store.
///
/// The verbs of `defaults` are synchronous: they touch files only, and a process that reads one
/// value must not wait for threads to start. Those of the fleet wait for servers. So they share the
/// grammar, from which parsing, help, the manual page and completion are derived, but run
/// asynchronously. Nothing blocks a thread to wait for a task, which could stop all others.
package struct FleetCall {
  /// Opens a store.
  package typealias Connect =
    @Sendable (StoreLocation) throws(StoreError) -> any RevisionedStore

  package let call: Call
  package let store: any RevisionedStore

  package init(_ call: Call, _ store: any RevisionedStore) {
    self.call = call
    self.store = store
  }

  var session: Session { call.session }

  var now: PropertyListDate { session.console.date }

  func has(_ option: CommandOption) -> Bool { call.has(option) }

  // -- The store

  func read(_ ranges: [KeyRange]) async throws(Failure) -> StoreSnapshot {
    do throws(StoreError) {
      return try await store.read(ranges)
    } catch {
      throw Failure(error)
    }
  }

  /// The store, if it can be asked about its members and rights.
  func administration() throws(Failure) -> any StoreAdministration {
    if let store = store as? any StoreAdministration { return store }
    throw Failure("this kind of store can't be asked about its members and rights")
  }

  /// Who changes something, why and when.
  func circumstances(reason: String) -> Edit.Circumstances {
    let console = session.console
    let user = session.process.surroundings.user?.name ?? console.environment("USER") ?? "unknown"
    let author = call.value(of: .author) ?? "\(user)@\(console.hostName)"
    return Edit.Circumstances(author: author, reason: reason, time: now)
  }
}

extension Console {
  var date: PropertyListDate {
    // 2001-01-01, in seconds since 1970.
    PropertyListDate(secondsSinceReference: now - 978_307_200)
  }
}

extension StoreLocation {
  func store(_ connect: FleetCall.Connect) throws(Failure) -> any RevisionedStore {
    do throws(StoreError) {
      return try connect(self)
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  init(_ error: StoreError) { self.init(error.description) }
  init(_ problem: FleetProblem) { self.init(problem.description) }
}

extension CommandOption {
  static let author = CommandOption(
    "author", "<name>", "who makes the change; USER@HOST if it is not given")
  static let reason = CommandOption("reason", "<text>", "why, for the history; needed")
}
