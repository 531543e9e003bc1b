import CStrata
import Foundation
import Synchronization

/// Whether anybody could hear what a notification center posts.
///
/// A post takes longer than all else of a set, and most programs observe nothing. A center can't be
/// asked, but its memory shows it: all observers are behind one word of it, which is the word of a
/// new center for as long as there never were any. Which word that is, centers of our own show when
/// each kind of observer comes to one of them. Where none shows it, as may be in a Foundation to
/// come, everything is posted.
struct Audience: @unchecked Sendable {
  // Safety: the word lies in the center, which is kept, and is read as what other threads write.
  private let center: NotificationCenter
  private let word: UnsafePointer<Atomic<UInt>>?

  static let ofDefault = Audience(of: .default)

  init(of center: NotificationCenter) {
    self.center = center
    word = Self.trace.map { Self.words(of: center) + $0.index }
  }

  /// Whether the center never had an observer, so that nobody can tell a post from none.
  var isEmpty: Bool {
    guard let word, let trace = Self.trace else { return false }
    return word.pointee.load(ordering: .acquiring) == trace.ofNobody
  }

  /// The word, and what it is in a new center.
  private static let trace: (index: Int, ofNobody: UInt)? = {
    let ways: [(NotificationCenter) -> Any] = [
      { $0.addObserver(forName: nil, object: nil, queue: nil) { _ in } },
      { $0.addObserver(for: Trial.self) { _ in } },
    ]
    let new = values(of: NotificationCenter())
    var indices = Array(new.indices)
    for observe in ways {
      let center = NotificationCenter()
      let before = values(of: center)
      let after = withExtendedLifetime(observe(center)) { values(of: center) }
      // Where the memory of one is larger by chance, what is behind the others' end says nothing.
      indices.removeAll {
        $0 >= min(before.count, after.count) || before[$0] != new[$0] || after[$0] == new[$0]
      }
    }
    return indices.first.map { ($0, new[$0]) }
  }()

  private struct Trial: NotificationCenter.AsyncMessage {
    typealias Subject = UserDefaults
    static var name: Notification.Name { UserDefaults.didChangeNotification }
  }

  /// What is in a center that no other thread knows, behind what each object begins with.
  private static func values(of center: NotificationCenter) -> [UInt] {
    let size = strata_usable_size(Unmanaged.passUnretained(center).toOpaque())
    let count = size / MemoryLayout<UInt>.size - headSize
    return (0..<max(0, count)).map { words(of: center)[$0].load(ordering: .relaxed) }
  }

  private static func words(of center: NotificationCenter) -> UnsafePointer<Atomic<UInt>> {
    let object = UnsafeRawPointer(Unmanaged.passUnretained(center).toOpaque())
    return object.assumingMemoryBound(to: Atomic<UInt>.self) + headSize
  }

  /// Words of the type and of the count of references.
  private static let headSize = 2
}
