// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "strata",
  products: [
    .library(name: "StrataPropertyList", targets: ["StrataPropertyList"]),
    .library(name: "StrataStorage", targets: ["StrataStorage"]),
  ],
  targets: [
    .target(name: "CStrata"),
    .target(name: "StrataPropertyList"),
    .target(name: "StrataStorage", dependencies: ["CStrata", "StrataPropertyList"]),

    .target(
      name: "PropertyListTesting", dependencies: ["StrataPropertyList"],
      path: "Tests/PropertyListTesting"),
    .testTarget(
      name: "StrataPropertyListTests",
      dependencies: ["PropertyListTesting", "StrataPropertyList"], exclude: ["Corpus"]),
    .testTarget(
      name: "StrataStorageTests",
      dependencies: ["CStrata", "PropertyListTesting", "StrataPropertyList", "StrataStorage"]),
    .testTarget(name: "TidyTests"),
  ]
)

for target in package.targets where target.name != "CStrata" {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
