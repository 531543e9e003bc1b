package import DefaultsCommand

/// A verb, and what it does with the store.
package struct FleetVerb: Sendable {
  package let verb: Verb
  package let run: @Sendable (FleetCall) async throws(Failure) -> ExitCode

  package init(
    _ name: String, lasts: Bool = false, forms: [Verb.Form], options: [CommandOption] = [],
    notes: [String] = [],
    run: @escaping @Sendable (FleetCall) async throws(Failure) -> ExitCode
  ) {
    verb = Verb(
      name, lasts: lasts, usesDomains: false, forms: forms, options: options + CommandOption.store,
      notes: notes)
    self.run = run
  }
}
