// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Counter",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(name: "Counter", dependencies: [.product(name: "Strata", package: "strata")])
  ]
)
