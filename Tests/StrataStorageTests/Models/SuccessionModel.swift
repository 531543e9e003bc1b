/// One journal taking another's place as a machine of small states. The old one is journal 0; each
/// maker's own is its number counted from 1.
struct SuccessionModel: Hashable, Model {
  enum Step: Hashable {
    case begins
    case hasDraft(number: Int)
    case hasRetired(number: Int)
    case hasPublished(number: Int)
    /// Follows the new journal, and sets.
    case hasNamed(number: Int)
    case hasSet
    case lost(number: Int)
    /// Found the old one in its place, and this said of who comes next.
    case found(number: Int)
    case ended
  }

  let makers: Int
  /// Whether the number of a draft that is not there any more is given again.
  let numbersComeAgain: Bool
  private var steps: [Step]
  private var isRetired = false
  private var published = 0
  private var publishedJournal = 0
  private var isNamed = false
  /// Which journal has the domain's name.
  private var named = 0
  private var drafts: [Int: Int] = [:]
  private var numberMax = 0
  /// Which journal holds the sets that returned.
  private var sets: [Int] = []

  init(makers: Int, others: Int, numbersComeAgain: Bool = false) {
    self.makers = makers
    self.numbersComeAgain = numbersComeAgain
    steps = Array(repeating: .begins, count: makers + others)
  }

  var complaint: String? {
    if named != 0, named != publishedJournal {
      return "journal \(named) has the name, \(publishedJournal) was published"
    }
    if let set = sets.first(where: { $0 != publishedJournal }) {
      return "a set is in journal \(set), which is nobody's successor"
    }
    if isNamed, named == 0 { return "the old journal has the name again" }
    return nil
  }

  var next: [SuccessionModel] {
    steps.indices.compactMap { process in
      var model = self
      return model.go(process) ? model : nil
    }
  }

  private mutating func go(_ process: Int) -> Bool {
    switch steps[process] {
    case .begins where process < makers:
      // Whoever follows the old one need not know that it has lost its name.
      let number = numbersComeAgain ? (1...).first { drafts[$0] == nil } ?? 1 : numberMax + 1
      numberMax = max(numberMax, number)
      drafts[number] = process + 1
      steps[process] = .hasDraft(number: number)
    case .begins:
      if named != 0 { return false }
      if published == 0 || !isRetired { return false }
      steps[process] = .found(number: published)
    case .hasDraft(let number):
      isRetired = true
      steps[process] = .hasRetired(number: number)
    case .hasRetired(let number):
      if published == 0 {
        published = number
        publishedJournal = process + 1
        steps[process] = .hasPublished(number: number)
      } else {
        steps[process] = .lost(number: number)
      }
    case .hasPublished(let number):
      name(number)
      steps[process] = .hasNamed(number: number)
    case .hasNamed:
      sets.append(process + 1)
      steps[process] = .hasSet
    case .lost(let number):
      if drafts[number] == process + 1 { drafts[number] = nil }
      steps[process] = .ended
    case .found(let number):
      name(number)
      steps[process] = .ended
    case .hasSet, .ended: return false
    }
    return true
  }

  private mutating func name(_ number: Int) {
    guard let draft = drafts.removeValue(forKey: number) else { return }
    named = draft
    isNamed = true
  }
}
