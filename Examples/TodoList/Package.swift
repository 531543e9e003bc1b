// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TodoList",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(name: "TodoList", dependencies: [.product(name: "Strata", package: "strata")])
  ]
)
