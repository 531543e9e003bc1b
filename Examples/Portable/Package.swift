// swift-tools-version: 6.2
import PackageDescription

// A library for macOS, where Foundation has the class, and for Linux, where Strata has it. With
// WITHOUT_STRATA in the environment it is built without, to show that it can be.
let needsStrata = Context.environment["WITHOUT_STRATA"] == nil

let package = Package(
  name: "Portable",
  products: [.library(name: "ReaderSettings", targets: ["ReaderSettings"])],
  dependencies: needsStrata ? [.package(name: "strata", path: "../..")] : [],
  targets: [
    .target(
      name: "ReaderSettings",
      dependencies: needsStrata
        ? [.product(name: "Strata", package: "strata", condition: .when(platforms: [.linux]))] : []
    ),
    .executableTarget(name: "Portable", dependencies: ["ReaderSettings"]),
  ]
)
