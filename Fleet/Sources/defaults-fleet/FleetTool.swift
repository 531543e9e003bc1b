import EtcdClient
import FleetCommand
import Glibc
import RevisionedStore

/// The program: what it does is in the library, where tests run it with a store in memory. Here it
/// gets the one that is etcd.
@main struct FleetTool {
  static func main() async {
    // The toolchain's library of tasks looks there for its threads, and ends a program that has
    // none at some moment.
    guard access("/proc/self/task", R_OK) == 0 else {
      perror("defaults fleet: there is no /proc, which it needs; mount it")
      exit(1)
    }
    await FleetProgram.main { (location) throws(StoreError) in try EtcdStore(location) }
  }
}
