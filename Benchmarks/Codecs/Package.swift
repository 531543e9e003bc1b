// swift-tools-version: 6.2
import PackageDescription

// Our codecs against the toolchain's: `swift run -c release Load`, and the two programs that only
// start, read a small list and end.
let package = Package(
  name: "codec-benchmark",
  targets: [
    .target(name: "StrataPropertyList"),
    .executableTarget(name: "Load", dependencies: ["StrataPropertyList"]),
    .executableTarget(name: "StartOurs", dependencies: ["StrataPropertyList"]),
    .executableTarget(name: "StartFoundation"),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
