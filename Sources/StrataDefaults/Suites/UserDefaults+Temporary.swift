/// Runs `body` with settings in memory as `UserDefaults.standard`, in the tasks that it starts,
/// too, and nowhere else. Suites and new objects are in memory there as well.
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
///   - defaults: settings made by ``UserDefaults/inMemory(_:registered:arguments:)``, which may
///     have values.
///   - body: the closure to run.
public func withTemporaryDefaults<Result>(
  _ defaults: UserDefaults = .inMemory(), _ body: () throws -> Result
) rethrows -> Result {
  TemporarySettings.begin()
  let settings = TemporarySettings(object: defaults, stack: defaults.stack)
  return try TemporarySettings.$ofTask.withValue(settings, operation: body)
}

/// Runs an asynchronous `body` with settings in memory as `UserDefaults.standard`.
public func withTemporaryDefaults<Result>(
  _ defaults: UserDefaults = .inMemory(), isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Result
) async rethrows -> Result {
  TemporarySettings.begin()
  let settings = TemporarySettings(object: defaults, stack: defaults.stack)
  return try await TemporarySettings.$ofTask.withValue(settings, operation: body)
}
