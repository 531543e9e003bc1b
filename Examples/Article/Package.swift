// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Article",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(
      name: "Article", dependencies: [.product(name: "Strata", package: "strata")])
  ]
)
