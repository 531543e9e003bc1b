/// Names for what is kept of damaged files.
enum DatedName {
  /// Calls `give` with dated names beside `path`, until it finds one that is free.
  /// - Returns: that name.
  static func find(
    besides path: String, _ give: (String) throws(StorageError) -> Void
  ) throws(StorageError) -> String {
    let stem = path + ".damaged-" + ProcessEvents.timestamp()
    for attempt in 1...100 {
      let name = attempt == 1 ? stem : stem + "-\(attempt)"
      do throws(StorageError) {
        try give(name)
        return name
      } catch {
        if error.code != SystemCode.exists { throw error }
      }
    }
    throw StorageError(.rename, stem, code: SystemCode.exists)
  }
}
