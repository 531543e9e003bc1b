// swift-tools-version: 6.2
import PackageDescription

// Settings of many machines are a package of their own, since they need a library that is not part
// of the toolchain: gRPC's C core (Debian's libgrpc-dev), by which etcd is reached.
let package = Package(
  name: "fleet",
  products: [
    .library(name: "EtcdClient", targets: ["EtcdClient"]),
    .executable(name: "defaults-fleet", targets: ["defaults-fleet"]),
  ],
  dependencies: [.package(name: "strata", path: "..")],
  targets: [
    .target(
      name: "CGRPC", cSettings: [.unsafeFlags(["-std=gnu23"])],
      linkerSettings: [.linkedLibrary("grpc"), .linkedLibrary("gpr")]),
    .target(
      name: "EtcdClient",
      dependencies: ["CGRPC", .product(name: "RevisionedStore", package: "strata")]),
    .executableTarget(
      name: "defaults-fleet",
      dependencies: [
        "EtcdClient", .product(name: "FleetCommand", package: "strata"),
        .product(name: "RevisionedStore", package: "strata"),
      ]),
    .testTarget(
      name: "EtcdClientTests",
      dependencies: [
        "EtcdClient", "FleetScale", "ProgramTesting", "defaults-fleet",
        .product(name: "RevisionedStore", package: "strata"),
        .product(name: "StrataDefaults", package: "strata"),
      ]),

    // Programs that a test or a measurement starts.
    .target(name: "ProgramTesting", path: "Tests/ProgramTesting"),

    // Measures one etcd with thousands of agents. No product has it, so nobody who depends on this
    // package builds it; in Benchmarks/, it would be out of the tests' reach, which run it.
    .target(
      name: "CScale", path: "Tests/CScale", cSettings: [.unsafeFlags(["-std=gnu23"])],
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .executableTarget(
      name: "FleetScale",
      dependencies: [
        "CScale", "EtcdClient", "ProgramTesting",
        .product(name: "RevisionedStore", package: "strata"),
      ],
      path: "Tests/FleetScale"),
  ]
)

for target in package.targets where !target.name.hasPrefix("C") {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
