// swift-tools-version: 6.2
import PackageDescription

// The sources of the library are compiled here once more, through links, so that all of them are
// instrumented and what is package-wide in them is in reach.
let sanitizers = ["-sanitize=fuzzer,address"]

let package = Package(
  name: "fuzz",
  targets: [
    .target(name: "CStrata", cSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]),
    .target(name: "StrataPropertyList"),
    .target(name: "StrataSystem"),
    .target(
      name: "StrataStorage", dependencies: ["CStrata", "StrataPropertyList", "StrataSystem"]),
    .target(
      name: "StrataDomains",
      dependencies: ["CStrata", "StrataPropertyList", "StrataStorage", "StrataSystem"]),
    .target(
      name: "SettingsBundles",
      dependencies: ["StrataDomains", "StrataPropertyList", "StrataStorage"]),
    .target(
      name: "SettingsModel",
      dependencies: ["SettingsBundles", "StrataDomains", "StrataPropertyList", "StrataStorage"]),
    .target(
      name: "DefaultsCommand",
      dependencies: [
        "CStrata", "SettingsBundles", "SettingsModel", "StrataDomains", "StrataPropertyList",
        "StrataStorage",
        "StrataSystem",
      ]),
    .target(name: "CFuzzDriver"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "CFuzzDriver", "DefaultsCommand", "SettingsBundles", "SettingsModel", "StrataDomains",
        "StrataPropertyList",
        "StrataStorage",
      ],
      linkerSettings: [.unsafeFlags(sanitizers)]),
  ]
)

for target in package.targets where !target.name.hasPrefix("C") {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(sanitizers + ["-parse-as-library"]),
  ]
}
