import Configuration
import Strata

struct SettingsProvider: ConfigProvider {
  let reader: SettingsReader
  var secrets: Set<String> = []  // paths of values that must not be logged

  var providerName: String { reader.name }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try result(key, type) { reader.value(at: $0) }
  }

  func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    try value(forKey: key, type: type)
  }

  nonisolated(nonsending) func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler:
      nonisolated(nonsending) (
        _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
      ) async throws -> Return
  ) async throws -> Return {
    let values = reader.watch(key.components.joined(separator: "."))
    return try await updatesHandler(
      ConfigUpdatesAsyncSequence(
        values.map { value in Result { try result(key, type) { _ in value } } }))
  }

  func snapshot() -> any ConfigSnapshot { snapshot(reader.snapshot()) }

  nonisolated(nonsending) func watchSnapshot<Return: ~Copyable>(
    updatesHandler:
      nonisolated(nonsending) (
        _ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
      ) async throws -> Return
  ) async throws -> Return {
    try await updatesHandler(
      ConfigUpdatesAsyncSequence(reader.snapshots.map { snapshot($0) }))
  }

  struct Snapshot: ConfigSnapshot {
    let provider: SettingsProvider
    let values: SettingsReader.Snapshot

    var providerName: String { provider.providerName }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try provider.result(key, type) { values.value(at: $0) }
    }
  }

  private func snapshot(_ values: SettingsReader.Snapshot) -> any ConfigSnapshot {
    Snapshot(provider: self, values: values)
  }

  private func result(
    _ key: AbsoluteConfigKey, _ type: ConfigType, _ find: (String) -> PropertyListValue?
  ) throws -> LookupResult {
    let path = key.components.joined(separator: ".")
    guard let stored = find(path) else { return LookupResult(encodedKey: path, value: nil) }
    guard let content = content(of: stored, type) else {
      throw NotConvertible(path: path, type: type)
    }
    return LookupResult(
      encodedKey: path, value: ConfigValue(content, isSecret: secrets.contains(path)))
  }

  private func content(of stored: PropertyListValue, _ type: ConfigType) -> ConfigContent? {
    switch type {
    case .string: String(stored: stored).map { .string($0) }
    case .int: Int(stored: stored).map { .int($0) }
    case .double: Double(stored: stored).map { .double($0) }
    case .bool: Bool(stored: stored).map { .bool($0) }
    case .bytes: Data(stored: stored).map { .bytes([UInt8]($0)) }
    case .stringArray: [String](stored: stored).map { .stringArray($0) }
    case .intArray: [Int](stored: stored).map { .intArray($0) }
    case .doubleArray: [Double](stored: stored).map { .doubleArray($0) }
    case .boolArray: [Bool](stored: stored).map { .boolArray($0) }
    case .byteChunkArray:
      [Data](stored: stored).map { .byteChunkArray($0.map { chunk in [UInt8](chunk) }) }
    }
  }
}

struct NotConvertible: Error {
  let path: String
  let type: ConfigType
}
