import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList

/// Waits until the hosts that a change affects report that they have it, and shows how many do.
struct RolloutWait {
  private let fleet: FleetCall
  /// Nil if nobody wants to wait.
  private let seconds: Double?

  /// What the options say, which is to be known before the change is made.
  init(_ fleet: FleetCall) throws(Failure) {
    self.fleet = fleet
    seconds = try Self.seconds(fleet)
  }

  private static let secondsByDefault = 30.0

  func run(_ changes: [Publication.Change]) async throws(Failure) {
    guard let seconds, !changes.isEmpty else { return }
    let state: FleetState
    do throws(Failure) {
      state = FleetState(try await fleet.read(FleetState.ranges))
    } catch {
      // The change is made; not to see who has it is no failure of it.
      return fleet.session.note(error.text ?? "")
    }
    var waiting = Waiting(changes, state)
    let progress = fleet.session.progress("roll-out")
    if !waiting.isOver {
      await follow(&waiting, after: state.revision, for: seconds) {
        progress.show("\($0) of \(Shown.count($1, "host"))")
      }
    }
    progress.clear()
    let all = Shown.count(waiting.count, "host")
    if waiting.isOver {
      fleet.session.note("\(all): done")
    } else {
      fleet.session.note(
        "\(waiting.done) of \(all) have it after \(Shown.duration(seconds)); "
          + "'defaults fleet status' shows the others")
    }
  }

  private static func seconds(_ fleet: FleetCall) throws(Failure) -> Double? {
    if fleet.has(.noWait) { return nil }
    if let text = fleet.call.value(of: .wait) {
      guard let seconds = Double(text), (0...86_400).contains(seconds) else {
        throw .usage("\(text.debugDescription) is not a number of seconds up to a day")
      }
      return seconds
    }
    let isWatched =
      !fleet.session.isQuiet && !fleet.has(.json) && fleet.session.console.isTerminal(.error)
    return isWatched ? secondsByDefault : nil
  }

  /// Takes statuses as they come, until all hosts are done or the time is over.
  private func follow(
    _ waiting: inout Waiting, after revision: Int64, for seconds: Double,
    _ show: (_ done: Int, _ count: Int) -> Void
  ) async {
    let store = fleet.store
    let (batches, continuation) = AsyncStream.makeStream(of: WatchBatch.self)
    let watch = Task {
      do throws(StoreError) {
        try await store.watch([FleetKey.allStatuses], after: revision) { continuation.yield($0) }
      } catch {
        // The change is made; that it can't be watched is no failure of it.
        continuation.finish()
      }
    }
    let timer = Task {
      do {
        try await Task.sleep(for: .seconds(seconds))
      } catch {
        return  // all hosts are done
      }
      continuation.finish()
    }
    show(waiting.done, waiting.count)
    for await batch in batches {
      for case .put(let value) in batch.events { waiting.take(value) }
      show(waiting.done, waiting.count)
      if waiting.isOver { break }
    }
    watch.cancel()
    timer.cancel()
  }

  /// The hosts that do not have the change yet.
  private struct Waiting {
    private var rest: [String: [String: Int64?]] = [:]
    let count: Int
    var done: Int { count - rest.count }
    var isOver: Bool { rest.isEmpty }

    init(_ changes: [Publication.Change], _ state: FleetState) {
      for change in changes {
        // A host that has never reported will not now.
        for host in state.hosts(changedBy: change) where host.status != nil {
          rest[host.name, default: [:]][change.name.text] = .some(
            change.after.version(on: host.facts)?.number)
        }
      }
      count = rest.count
      for host in state.hosts { if let status = host.status { take(host.name, status) } }
    }

    mutating func take(_ value: StoredValue) {
      guard let host = FleetKey.host(of: value.key) else { return }
      do throws(FleetProblem) {
        take(host, try HostStatus.decode(value.value, of: host))
      } catch {
        return  // `status` reports it
      }
    }

    private mutating func take(_ host: String, _ status: HostStatus) {
      guard let wanted = rest[host], wanted.allSatisfy({ status.versions[$0.key] == $0.value })
      else { return }
      rest[host] = nil
    }
  }
}
