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
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ]
)
