import Synchronization

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
  TemporaryDefaults.begin()
  defer { TemporaryDefaults.end() }
  return try TemporaryDefaults.$chosen.withValue(defaults, operation: body)
}

/// The same for what takes its time.
public func withTemporaryDefaults<Result>(
  _ defaults: UserDefaults = .inMemory(), isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Result
) async rethrows -> Result {
  TemporaryDefaults.begin()
  defer { TemporaryDefaults.end() }
  return try await TemporaryDefaults.$chosen.withValue(defaults, operation: body)
}

/// What is `standard` for one task tree.
enum TemporaryDefaults {
  @TaskLocal static var chosen: UserDefaults?
  // How many trees there are: without one, `standard` costs a load of memory more.
  private static let count = Atomic<Int>(0)

  static func begin() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  static func end() { count.wrappingSubtract(1, ordering: .sequentiallyConsistent) }

  @inline(__always)
  static var current: UserDefaults? {
    count.load(ordering: .relaxed) == 0 ? nil : chosen
  }
}
