import Testing

/// All interleavings of a few processes that append, and that put a journal in another's place;
/// each may stop for ever at any step.
@Suite struct JournalModelSlowTests {
  // S-18, S-3
  @Test(arguments: [
    [AppendModel.Task.set(size: 1), .set(size: 2), .set(size: 1)],
    [.shrink(from: 3, to: 1), .set(size: 1), .set(size: 1)],
    [.giveBack(size: 3), .set(size: 1), .set(size: 1)],
    [.shrink(from: 3, to: 2), .giveBack(size: 2), .set(size: 1)],
    [.set(size: 2), .shrink(from: 2, to: 1), .retire],
    [.set(size: 1), .retire, .retire],
  ])
  func `in every order of steps each set that returned is in the journal once`(
    tasks: [AppendModel.Task]
  ) throws {
    let (count, complaint) = AppendModel(tasks).search()
    #expect(complaint == nil)
    try #require(count > 100)
  }

  // S-18, S-3
  @Test func `the model finds what is lost where a place is given back that others wait for`() {
    let tasks: [AppendModel.Task] = [.giveBack(size: 3), .set(size: 1), .set(size: 1)]
    #expect(AppendModel(tasks, voidsWhatIsGivenBack: false).search().complaint != nil)
  }

  // S-18, S-3
  @Test func `in every order of steps the journal that was published gets the name`() throws {
    let (count, complaint) = SuccessionModel(makers: 3, others: 1).search()
    #expect(complaint == nil)
    try #require(count > 100)
  }

  // S-18, S-3
  @Test func `the model finds who is named in another's place where numbers come again`() {
    let model = SuccessionModel(makers: 2, others: 1, numbersComeAgain: true)
    #expect(model.search().complaint != nil)
  }
}
