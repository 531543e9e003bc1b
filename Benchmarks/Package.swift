// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "StrataBench",
  dependencies: [.package(name: "strata", path: "..")],
  targets: [
    .target(name: "CBench"),
    .executableTarget(
      name: "StrataBench",
      dependencies: [
        "CBench", .product(name: "StrataDefaults", package: "strata"),
        .product(name: "StrataStorage", package: "strata"),
      ]),

    // Programs that are measured as whole processes.
    .executableTarget(
      name: "ProgramClass", dependencies: [.product(name: "StrataDefaults", package: "strata")]),
    .executableTarget(
      name: "ProgramStore",
      dependencies: [
        .product(name: "StrataPropertyList", package: "strata"),
        .product(name: "StrataStorage", package: "strata"),
      ]),
    .executableTarget(name: "ProgramPeer", dependencies: ["CBench"]),
    .executableTarget(name: "ProgramFoundation"),
    .executableTarget(name: "ProgramEmpty"),
  ]
)

for target in package.targets where !["CBench", "ProgramPeer"].contains(target.name) {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
