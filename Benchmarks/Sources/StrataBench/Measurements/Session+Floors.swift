import CBench
import Foundation

/// What the machine takes for the parts that a store is made of.
extension Session {
  func measureFloors() throws {
    report.begin(
      "Floors",
      "What nothing that uses it can be faster than, in C; the notification is Foundation's, one "
        + "of which each set of the class posts.")
    let place = try makeDirectory("\(options.directory)/floors")
    let queue = bench_make_queue(place)
    let reserved = try makeFile("\(place)/reserved", false)
    let written = try makeFile("\(place)/written", true)
    var race = Race(effort)
    race.add("monotonic clock") { bench_clock($0) }
    race.add("coarse clock") { bench_coarse_clock($0) }
    race.add("lock of one word, taken and given back") { bench_lock_word($0) }
    race.add("64 bytes, allocated and freed") { bench_allocate($0) }
    let object = NSObject()
    let name = Notification.Name("StrataBench")
    race.add("notification that nobody observes, posted") { operations in
      for _ in 0..<operations { NotificationCenter.default.post(name: name, object: object) }
    }
    race.add("system call") { bench_system_call($0) }
    race.add("ioctl(FIONREAD) on an inotify queue") { operations in
      guard bench_ask_queue(queue, operations) == 0 else { throw BenchError("no inotify queue") }
    }
    race.add("pwrite of 48 bytes") { operations in
      guard bench_write(written, Self.floorSize, operations) == 0 else {
        throw BenchError("pwrite failed")
      }
    }
    for (name, file) in [("reserved", reserved), ("written to before", written)] {
      race.add("pwrite and fdatasync, \(name)") { operations in
        guard bench_write_synchronize(file, Self.floorSize, operations) == 0 else {
          throw BenchError("fdatasync failed")
        }
      }
    }
    let times = try race.run()
    for (name, time) in times.sorted(by: { $0.value.median < $1.value.median }) {
      report.addTimes(name, [("median", time.median), ("p99", time.quantile(0.99))])
    }
  }
}
