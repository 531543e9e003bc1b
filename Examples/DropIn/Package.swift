// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "DropIn",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(name: "DropIn", dependencies: [.product(name: "Strata", package: "strata")])
  ]
)
