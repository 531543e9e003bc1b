import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Random acts of processes that come and go, and search a large property list, against a model.
@Suite(.serialized) struct ListSearchModelTests {
  enum Act: CaseIterable {
    case set, remove, replaceAll, setIfStill, read, readSeveral, readAll, flush, rest, edit
    case editInPlace
  }

  private let paths = CrashScript.paths
  private static let values = Dictionary(
    uniqueKeysWithValues: (0..<700).map { number in
      ("key \(number)", PropertyListValue.string(String(repeating: "x", count: 200 + number % 7)))
    })

  // S-1, S-2, S-8
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `what is searched is what was set or edited last`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let machine = FaultMachine(FaultMachine.Kind.allCases[Int(seed) % 4])
    machine.searchSizeMin = 0
    var model = Self.values
    let first = machine.process().store(at: paths)
    try first.apply(ChangeSet(setting: model))
    try #require(first.flush())

    var searches = 0
    var stores = [first, first]
    for step in 0..<60 {
      let (index, act) = (step % 2, Act.allCases.randomElement(using: &random) ?? .read)
      // Most processes are new: only these search.
      if Int.random(in: 0..<3, using: &random) > 0 {
        stores[index] = machine.process().store(at: paths)
      }
      let store = stores[index]
      store.table.checkAt = 0  // as if it had not looked for a while
      // A few keys all over the list, of which one is missing at first.
      let key = "key \(Int.random(in: 0...7, using: &random) * 100)"
      let value = PropertyListValue.integer(Int64(step))
      let name: Comment = "seed \(seed), step \(step), \(act) of \(key)"
      switch act {
      case .set:
        try store.set(value, forKey: key)
        model[key] = value
      case .remove:
        try store.set(nil, forKey: key)
        model[key] = nil
      case .replaceAll where step % 5 == 0:
        model = model.filter { _ in Bool.random(using: &random) }
        try store.apply(ChangeSet(setting: model, replacesAll: true))
      case .setIfStill:
        let change = ChangeSet([Change(key: key, value: value)])
        #expect(try !store.apply(change, ifStill: [Change(key: key, value: .boolean(true))]), name)
        #expect(try store.apply(change, ifStill: [Change(key: key, value: model[key])]), name)
        model[key] = value
      case .edit, .editInPlace:
        model[key] = value
        edit(machine, model, isInPlace: act == .editInPlace)
      case .readSeveral:
        #expect(store.values(forKeys: [key, "key 1"]) == [model[key], model["key 1"]], name)
      case .readAll: #expect(store.snapshot().values == model, name)
      case .flush: #expect(store.flush(), name)
      case .rest: _ = store.rest()
      case .read, .replaceAll: try #require(store.value(forKey: key) == model[key], name)
      }
      let newcomer = machine.process().store(at: paths)
      try #require(newcomer.value(forKey: key) == model[key], name)
      if newcomer.phase == .closed { searches += 1 }
    }
    for store in stores + [machine.process().store(at: paths)] {
      store.table.checkAt = 0
      #expect(store.snapshot().values == model, "seed \(seed)")
    }
    // Where other machines share the list, none is searched.
    #expect(searches > 10 || machine.kind.isShared)
  }

  private func edit(
    _ machine: FaultMachine, _ values: [String: PropertyListValue], isInPlace: Bool
  ) {
    let bytes = CheckedPlist.encode(values.map { ($0.key, $0.value) })
    if isInPlace {
      machine.editInPlace(paths.plist, bytes)
    } else {
      machine.edit(paths.plist, bytes)
    }
  }
}
