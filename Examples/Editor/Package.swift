// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Editor",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(
      name: "Editor",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataSettings", package: "strata"),
      ])
  ]
)
