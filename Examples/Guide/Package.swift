// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Guide",
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(
      name: "Guide", dependencies: [.product(name: "Strata", package: "strata")],
      resources: [.copy("DefaultPreferences.plist")])
  ]
)
