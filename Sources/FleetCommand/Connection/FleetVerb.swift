package import DefaultsCommand
import RevisionedStore

/// A verb, and what it does with the store.
package struct FleetVerb: Sendable {
  package let verb: Verb
  package let run: @Sendable (Call, @escaping FleetCall.Connect) async throws(Failure) -> ExitCode

  /// A verb that asks the store.
  package init(
    _ name: String, lasts: Bool = false, forms: [Verb.Form], options: [CommandOption] = [],
    notes: [String] = [],
    run: @escaping @Sendable (FleetCall) async throws(Failure) -> ExitCode
  ) {
    verb = Verb(
      name, lasts: lasts, usesDomains: false, forms: forms, options: options + CommandOption.store,
      notes: notes)
    self.run = { (call, connect) throws(Failure) in
      try await run(FleetCall(call, try StoreLocation(call).store(connect)))
    }
  }

  /// A verb that runs until it is ended, and decides itself when it connects, and where to.
  package init(
    lasting name: String, forms: [Verb.Form], options: [CommandOption], notes: [String],
    run:
      @escaping @Sendable (
        Call, @escaping FleetCall.Connect
      ) async throws(Failure) -> ExitCode
  ) {
    verb = Verb(
      name, lasts: true, usesDomains: false, forms: forms, options: options, notes: notes)
    self.run = run
  }
}
