import EtcdClient
import FleetCommand
import RevisionedStore

/// The program: what it does is in the library, where tests run it with a store in memory. Here it
/// gets the one that is etcd.
@main struct FleetTool {
  static func main() async {
    await FleetProgram.main { (location) throws(StoreError) in try EtcdStore(location) }
  }
}
