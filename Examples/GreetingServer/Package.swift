// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "GreetingServer",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(
      name: "GreetingServer", dependencies: [.product(name: "Strata", package: "strata")])
  ]
)
