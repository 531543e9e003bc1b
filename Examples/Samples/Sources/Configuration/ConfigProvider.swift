// Stands for the module of swift-configuration 1.0: its protocols for providers, declared as it
// declares them, and what their requirements are made of. No other package can be had here.

public protocol ConfigProvider: Sendable {
  var providerName: String { get }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult

  func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult

  nonisolated(nonsending) func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler:
      nonisolated(nonsending) (
        _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
      ) async throws -> Return
  ) async throws -> Return

  func snapshot() -> any ConfigSnapshot

  nonisolated(nonsending) func watchSnapshot<Return: ~Copyable>(
    updatesHandler:
      nonisolated(nonsending) (
        _ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
      ) async throws -> Return
  ) async throws -> Return
}

public protocol ConfigSnapshot: Sendable {
  var providerName: String { get }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult
}

public struct ConfigUpdatesAsyncSequence<Element: Sendable, Failure: Error>: AsyncSequence {
  private let upstream: any AsyncSequence<Element, Failure>

  public init(_ upstream: some AsyncSequence<Element, Failure>) { self.upstream = upstream }

  struct Iterator: AsyncIteratorProtocol {
    var upstream: any AsyncIteratorProtocol<Element, Failure>

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      try await upstream.next(isolation: actor)
    }
  }

  public func makeAsyncIterator() -> some AsyncIteratorProtocol<Element, Failure> {
    Iterator(upstream: upstream.makeAsyncIterator())
  }
}
