// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "strata",
  products: [
    .library(name: "FleetCommand", targets: ["FleetCommand"]),
    .library(name: "RevisionedStore", targets: ["RevisionedStore"]),
    .library(name: "SettingsPage", targets: ["SettingsPage"]),
    .library(name: "Strata", targets: ["Strata"]),
    .library(name: "StrataAppStorage", targets: ["StrataAppStorage"]),
    .library(name: "StrataDefaults", targets: ["StrataDefaults"]),
    .library(name: "StrataKVO", targets: ["StrataKVO"]),
    .library(name: "StrataPropertyList", targets: ["StrataPropertyList"]),
    .library(name: "StrataSettings", targets: ["StrataSettings"]),
    .library(name: "StrataStorage", targets: ["StrataStorage"]),
    .executable(name: "defaults", targets: ["defaults"]),
  ],
  targets: [
    .target(name: "CStrata"),
    .target(name: "StrataSystem"),
    .target(name: "RevisionedStore"),
    .target(name: "StrataPropertyList"),
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
      name: "FleetModel",
      dependencies: [
        "CStrata", "RevisionedStore", "SettingsBundles", "SettingsModel", "StrataDomains",
        "StrataPropertyList",
        "StrataStorage",
      ]),
    .target(
      name: "FleetAgent",
      dependencies: [
        "FleetModel", "RevisionedStore", "StrataDomains", "StrataPropertyList", "StrataStorage",
      ]),
    .target(
      name: "SettingsPage",
      dependencies: [
        "SettingsBundles", "SettingsModel", "StrataDomains", "StrataPropertyList", "StrataStorage",
        "StrataSystem",
      ]),
    .target(
      name: "StrataDefaults",
      dependencies: ["SettingsBundles", "StrataDomains", "StrataPropertyList", "StrataStorage"]),
    .target(name: "Strata", dependencies: ["StrataDefaults", "StrataPropertyList"]),
    .target(name: "StrataAppStorage", dependencies: ["StrataDefaults"]),
    .target(
      name: "StrataSettings",
      dependencies: [
        "SettingsBundles", "SettingsModel", "StrataDefaults", "StrataDomains", "StrataPropertyList",
      ]),
    .target(name: "StrataNSObject", dependencies: ["StrataDefaults"]),
    .target(name: "StrataKVO", dependencies: ["Strata", "StrataDefaults", "StrataNSObject"]),
    .target(
      name: "DefaultsCommand",
      dependencies: [
        "CStrata", "SettingsBundles", "SettingsModel", "StrataDomains", "StrataPropertyList",
        "StrataStorage",
        "StrataSystem",
      ]),
    .executableTarget(name: "defaults", dependencies: ["DefaultsCommand"]),
    .target(
      name: "FleetCommand",
      dependencies: [
        "DefaultsCommand", "FleetAgent", "FleetModel", "RevisionedStore", "SettingsBundles",
        "SettingsModel",
        "StrataDomains", "StrataPropertyList", "StrataStorage",
      ]),

    .target(
      name: "StrataTesting", dependencies: ["StrataPropertyList", "StrataStorage"],
      path: "Tests/StrataTesting"),
    .target(
      name: "FaultTesting",
      dependencies: ["CStrata", "StrataPropertyList", "StrataStorage", "StrataTesting"],
      path: "Tests/FaultTesting"),
    .target(
      name: "CommandTesting",
      dependencies: ["DefaultsCommand", "StrataDomains", "StrataTesting"],
      path: "Tests/CommandTesting"),
    .testTarget(
      name: "StrataPropertyListTests",
      dependencies: ["StrataPropertyList", "StrataTesting"], exclude: ["Corpus"]),
    .testTarget(
      name: "StrataStorageTests",
      dependencies: [
        "CStrata", "FaultTesting", "StrataPropertyList", "StrataStorage", "StrataTesting",
      ]),
    .testTarget(
      name: "StrataDomainsTests",
      dependencies: [
        "StrataDomains", "StrataPropertyList", "StrataStorage", "StrataTesting",
      ]),
    .testTarget(
      name: "RevisionedStoreTests", dependencies: ["RevisionedStore", "StrataTesting"]),
    .testTarget(
      name: "FleetAgentTests",
      dependencies: [
        "FaultTesting", "FleetAgent", "FleetCommand", "FleetModel", "RevisionedStore",
        "StrataDomains",
        "StrataPropertyList",
        "StrataStorage", "StrataTesting",
      ]),
    .testTarget(
      name: "FleetModelTests",
      dependencies: [
        "FleetModel", "RevisionedStore", "StrataDomains", "StrataPropertyList", "StrataTesting",
      ]),
    .testTarget(
      name: "SettingsModelTests",
      dependencies: [
        "SettingsBundles", "SettingsModel", "StrataDomains", "StrataPropertyList", "StrataStorage",
        "StrataTesting",
      ]),
    .testTarget(
      name: "SettingsPageTests",
      dependencies: [
        "SettingsPage", "StrataDomains", "StrataPropertyList", "StrataStorage", "StrataTesting",
      ]),
    .testTarget(
      name: "StrataSettingsTests",
      dependencies: [
        "SettingsBundles", "SettingsModel", "StrataDefaults", "StrataDomains", "StrataPropertyList",
        "StrataSettings",
      ]),
    .testTarget(
      name: "StrataDefaultsTests",
      dependencies: [
        "StrataDefaults", "StrataDomains", "StrataPropertyList", "StrataStorage",
        "StrataTesting",
      ]),
    .testTarget(
      name: "DefaultsCommandTests",
      dependencies: [
        "CommandTesting", "DefaultsCommand", "StrataDomains", "StrataPropertyList",
        "StrataStorage", "StrataTesting", "defaults",
      ],
      exclude: ["Golden"]),
    .testTarget(
      name: "FleetCommandTests",
      dependencies: [
        "CommandTesting", "DefaultsCommand", "FleetAgent", "FleetCommand", "FleetModel",
        "RevisionedStore",
        "StrataDomains", "StrataPropertyList", "StrataTesting",
      ]),
    .testTarget(
      name: "StrataAppStorageTests", dependencies: ["StrataAppStorage", "StrataDefaults"]),
    .testTarget(name: "StrataTests", dependencies: ["Strata", "StrataDefaults"]),
    .testTarget(name: "AdoptionTests", dependencies: ["Strata"]),
    .testTarget(name: "KVOAdoptionTests", dependencies: ["StrataKVO"]),
    .testTarget(name: "TidyTests"),

    // The adapter that the documentation shows, and a stand-in for the module that it imports.
    .target(name: "Configuration", path: "Examples/Samples/Sources/Configuration"),
    .target(
      name: "SettingsAdapter", dependencies: ["Configuration", "Strata"],
      path: "Examples/Samples/Sources/SettingsAdapter"),
    .testTarget(
      name: "SettingsAdapterTests", dependencies: ["Configuration", "SettingsAdapter", "Strata"]),

    // Programs that tests run, stop and kill.
    .target(name: "CProbe", path: "Tests/CProbe"),
    .executableTarget(
      name: "StorageProbe", dependencies: ["CProbe", "StrataPropertyList", "StrataStorage"],
      path: "Tests/StorageProbe"),
    .executableTarget(
      name: "DefaultsProbe", dependencies: ["CProbe", "StrataDefaults", "StrataPropertyList"],
      path: "Tests/DefaultsProbe"),
    .executableTarget(
      name: "DomainsProbe", dependencies: ["StrataDefaults"], path: "Tests/DomainsProbe"),
  ]
)

for target in package.targets where !["CProbe", "CStrata"].contains(target.name) {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
