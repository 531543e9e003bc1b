// swift-tools-version: 6.2
import PackageDescription

// What the samples of the documentation are: each of them is here, word for word.
let package = Package(
  name: "Samples",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .target(
      name: "Samples",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataAppStorage", package: "strata"),
      ]),
    .target(name: "Configuration"),
    .target(
      name: "SettingsAdapter",
      dependencies: ["Configuration", .product(name: "Strata", package: "strata")]),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
