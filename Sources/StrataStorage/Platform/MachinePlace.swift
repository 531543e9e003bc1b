/// A directory on this machine with the hidden directories of one user's domains, where other
/// machines may share the directories of these domains. It lies in one that everybody may use.
///
/// What processes share there (mapped words, locks, the kernel's events) works on one machine only.
/// The property list stays where it is; what other machines write to it counts as an edit.
struct MachinePlace: Equatable, Sendable {
  let path: String
  let owner: UInt32
  /// Whether a restart of the machine ends what is in it.
  let isInMemory: Bool
  /// The type of the file system that the domains are in.
  let kind: String
}

/// The state of a user's place.
enum MachinePlaceStanding: Equatable, Sendable {
  /// It belongs to that user, and nobody else can change what is in it.
  case sound
  case missing
  /// It belongs to somebody else, others may change it, or it is no directory.
  case unsound
}
