/// Appending to a journal as a machine of small states: what each process does next is one step,
/// and one that never takes another step is stopped or dead.
struct AppendModel: Hashable, Model {
  /// What the bytes at one place say, in units of the smallest record.
  enum Mark: Hashable {
    case undecided
    case record(of: Int, size: Int)
    case void(size: Int)
  }

  struct Word: Hashable {
    var length = 0
    var reserved = 0
    var hasWaiters = false
    var isRetired = false
  }

  enum Step: Hashable {
    case begins
    /// Has reserved so much at this place.
    case holds(at: Int, size: Int)
    case marked(at: Int, size: Int)
    /// Has seen that somebody else holds a place.
    case waits(Word)
    /// Has found nothing new after a while, and is about to say that the place is void.
    case losesPatience(Word)
    case returned
    case ended
  }

  /// What a process is there for.
  enum Task: Hashable {
    case set(size: Int)
    /// Reserves this much, finds that it needs less, and reserves that.
    case shrink(from: Int, to: Int)
    /// Reserves, finds that the value is there already, and gives all back.
    case giveBack(size: Int)
    case retire
  }

  let tasks: [Task]
  /// Whether a reservation that others wait for is made void when it is given back.
  let voidsWhatIsGivenBack: Bool
  private var word = Word()
  private var marks: [Mark] = Array(repeating: .undecided, count: 8)
  private var steps: [Step]
  private var hasShrunk: [Bool]

  init(_ tasks: [Task], voidsWhatIsGivenBack: Bool = true) {
    self.tasks = tasks
    self.voidsWhatIsGivenBack = voidsWhatIsGivenBack
    steps = tasks.map { _ in .begins }
    hasShrunk = tasks.map { _ in false }
  }

  /// What holds in every state.
  var complaint: String? {
    var found: [Int] = []
    var place = 0
    while place < word.length {
      switch marks[place] {
      case .undecided: return "nothing is known of what was committed at \(place)"
      case .record(let process, let size):
        found.append(process)
        place += size
      case .void(let size): place += size
      }
    }
    if place != word.length { return "a record or gap leads past the committed end" }
    for (process, step) in steps.enumerated() {
      let count = found.count { $0 == process }
      if step == .returned, count != 1 { return "set \(process) is there \(count) times" }
      if count > 1 { return "set \(process) is there \(count) times" }
    }
    return nil
  }

  var next: [AppendModel] { tasks.indices.flatMap { successors($0) } }

  private func successors(_ process: Int) -> [AppendModel] {
    var model = self
    switch steps[process] {
    case .begins: model.begin(process)
    case .holds(let place, let size): model.use(process, place, size)
    case .marked(let place, let size):
      model.move(place, size)
      model.steps[process] = .returned
    case .waits(let seen): return waited(process, seen)
    case .losesPatience(let seen):
      model.decide(.void(size: seen.reserved), at: seen.length)
      model.steps[process] = .begins
    case .returned, .ended: return []
    }
    return [model]
  }

  private mutating func begin(_ process: Int) {
    if word.isRetired {
      steps[process] = .ended
    } else if word.reserved > 0 {
      steps[process] = .waits(word)
    } else {
      let size =
        switch tasks[process] {
        case .set(let size), .giveBack(let size): size
        case .shrink(let size, let needed): hasShrunk[process] ? needed : size
        case .retire: 1
        }
      // The model's journal ends here, so that its states do.
      guard word.length + size <= marks.count else { return steps[process] = .ended }
      word.reserved = size
      steps[process] = .holds(at: word.length, size: size)
    }
  }

  private mutating func use(_ process: Int, _ place: Int, _ size: Int) {
    switch tasks[process] {
    case .shrink where !hasShrunk[process]:
      hasShrunk[process] = true
      release(place, size)
      steps[process] = .begins
    case .giveBack:
      release(place, size)
      steps[process] = .ended
    case .retire:
      let isHeld = word.length == place && word.reserved == size
      if isHeld { word = Word(length: place, isRetired: true) }
      steps[process] = isHeld ? .ended : .begins
    case .set, .shrink:
      let isMine = decide(.record(of: process, size: size), at: place)
      steps[process] = isMine ? .marked(at: place, size: size) : .begins
    }
  }

  private mutating func release(_ place: Int, _ size: Int) {
    guard word.length == place, word.reserved == size else { return }
    if word.hasWaiters, voidsWhatIsGivenBack {
      decide(.void(size: size), at: place)
      move(place, size)
    } else {
      word = Word(length: place)
    }
  }

  private mutating func move(_ place: Int, _ size: Int) {
    if word.length == place, word.reserved == size { word = Word(length: place + size) }
  }

  @discardableResult
  private mutating func decide(_ mark: Mark, at place: Int) -> Bool {
    guard marks[place] == .undecided else { return false }
    marks[place] = mark
    return true
  }

  /// What one does who waits: look again, help, or say that others wait and lose patience.
  private func waited(_ process: Int, _ seen: Word) -> [AppendModel] {
    var model = self
    guard word.length == seen.length, word.reserved == seen.reserved else {
      model.steps[process] = .begins
      return [model]
    }
    if marks[seen.length] != .undecided {
      model.move(seen.length, seen.reserved)
      model.steps[process] = .begins
    } else if seen.hasWaiters {
      model.steps[process] = .losesPatience(seen)
    } else {
      model.word.hasWaiters = true
      model.steps[process] = .waits(model.word)
    }
    return [model]
  }
}

/// Something whose states can be gone through, all of them.
protocol Model: Hashable {
  var next: [Self] { get }
  var complaint: String? { get }
}

extension Model {
  /// Goes through every state that can be reached, nearest first.
  /// - Returns: how many there are, and what was wrong in the first that was.
  func search() -> (count: Int, complaint: String?) {
    var seen: Set<Self> = [self]
    var queue = [self]
    var position = 0
    while position < queue.count {
      let state = queue[position]
      position += 1
      if let complaint = state.complaint { return (seen.count, "\(complaint): \(state)") }
      for next in state.next where seen.insert(next).inserted { queue.append(next) }
    }
    return (seen.count, nil)
  }
}
