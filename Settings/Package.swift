// swift-tools-version: 6.2
import PackageDescription

// The Settings page is a package of its own, since it needs a library that is not part of the
// toolchain: libmicrohttpd (Debian's libmicrohttpd-dev), which does HTTP.
let package = Package(
  name: "settings",
  products: [.executable(name: "defaults-settings", targets: ["defaults-settings"])],
  dependencies: [.package(name: "strata", path: "..")],
  targets: [
    .target(
      name: "CPage", exclude: ["page.html", "page.css", "page.js"],
      cSettings: [.unsafeFlags(["-std=gnu23"])],
      linkerSettings: [.linkedLibrary("microhttpd")]),
    .executableTarget(
      name: "defaults-settings",
      dependencies: ["CPage", .product(name: "SettingsPage", package: "strata")]),
  ]
)

for target in package.targets where !target.name.hasPrefix("C") {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
