/// Runs `body` with settings in memory as what is `standard`, also in the tasks that it starts, and
/// nowhere else: suites and new objects are in memory there, too.
///
/// ```swift
/// @Test func counts() async {
///   await withTemporaryDefaults {
///     await Launcher().launch()
///     #expect(UserDefaults.standard.integer(forKey: "Launches") == 1)
///   }
/// }
/// ```
/// - Parameters:
///   - defaults: made by ``UserDefaults/inMemory(_:registered:arguments:)``, where it should have
///     values.
///   - body: what is run.
public func withTemporaryDefaults<Result>(
  _ defaults: UserDefaults = .inMemory(), _ body: () throws -> Result
) rethrows -> Result {
  TemporarySettings.begin()
  defer { TemporarySettings.end() }
  let settings = TemporarySettings(object: defaults, stack: defaults.stack)
  return try TemporarySettings.$ofTask.withValue(settings, operation: body)
}

/// The same for what takes its time.
public func withTemporaryDefaults<Result>(
  _ defaults: UserDefaults = .inMemory(), isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Result
) async rethrows -> Result {
  TemporarySettings.begin()
  defer { TemporarySettings.end() }
  let settings = TemporarySettings(object: defaults, stack: defaults.stack)
  return try await TemporarySettings.$ofTask.withValue(settings, operation: body)
}
