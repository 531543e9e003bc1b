// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "EditingPrefs",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(
      name: "EditingPrefs",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataAppStorage", package: "strata"),
      ])
  ]
)
