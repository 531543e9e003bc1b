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
}

/// How the place of a user stands.
enum MachinePlaceStanding: Hashable, Sendable {
  /// It is that user's, and nobody else can change what is in it.
  case sound
  case missing
  /// It is somebody else's, others may change it, or it is no directory.
  case unsound
}
