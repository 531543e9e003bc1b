@testable import EtcdClient
import RevisionedStore
import Testing

/// Addresses of members.
struct EndpointTests {
  // M-1
  @Test(arguments: [
    ("http://a", "a:2379"), ("https://a/", "a:2379"), ("https://a:1", "a:1"),
    ("https://[::1]", "[::1]:2379"), ("https://[::1]:1", "[::1]:1"),
  ])
  func `without a port, it is etcd's`(text: String, target: String) throws {
    #expect(try Endpoint(text).target == target)
  }
}
