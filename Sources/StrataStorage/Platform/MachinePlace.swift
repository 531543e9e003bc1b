/// A directory of this machine, in one that is everybody's, in which the hidden directories of one
/// user's domains are that other machines may share.
///
/// What processes share in those - mapped words, locks, the kernel's news - are this machine's. The
/// property list stays where it is; what other machines write to it is an edit.
struct MachinePlace: Hashable, Sendable {
  let path: String
  let owner: UInt32
  /// Whether what is in it ends with a restart of the machine.
  let isInMemory: Bool
  /// What kind of file system the domains are in.
  let kind: String

  /// What nobody gives a file who has another place, or had one before the machine was restarted.
  func mark(on disk: any FileSystem) throws(StorageError) -> String {
    let status = try disk.status(of: path)
    let boot = disk.bootID()
    let place = (status?.number ?? 0) &* 0x9E37_79B9_7F4A_7C15 ^ (status?.device ?? 0)
    return String(boot.high ^ boot.low ^ place, radix: 16)
  }
}

/// How the place of a user stands.
enum MachinePlaceStanding: Hashable, Sendable {
  /// It is that user's, and nobody else can change what is in it.
  case sound
  case missing
  /// It is somebody else's, others may change it, or it is no directory.
  case unsound
}
