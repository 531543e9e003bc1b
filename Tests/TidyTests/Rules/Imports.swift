extension Rule {
  /// What each target may import; the C library is the business of `edges`.
  private static let allowedImports: [String: Set<String>] = [
    "StrataPropertyList": [],
    "StrataStorage": ["CStrata", "StrataPropertyList", "StrataSystem", "Synchronization"],
    "StrataDomains": [
      "CStrata", "StrataPropertyList", "StrataStorage", "StrataSystem", "Synchronization",
    ],
    "SettingsBundles": ["StrataDomains", "StrataPropertyList", "StrataStorage"],
    "SettingsModel": ["SettingsBundles", "StrataDomains", "StrataPropertyList", "StrataStorage"],
    "RevisionedStore": ["Synchronization"],
    "FleetModel": [
      "CStrata", "RevisionedStore", "SettingsBundles", "SettingsModel", "StrataDomains",
      "StrataPropertyList",
      "StrataStorage",
    ],
    "FleetAgent": [
      "FleetModel", "RevisionedStore", "StrataDomains", "StrataPropertyList", "StrataStorage",
      "Synchronization",
    ],
    "FleetCommand": [
      "CStrata", "DefaultsCommand", "FleetAgent", "FleetModel", "RevisionedStore",
      "SettingsBundles", "SettingsModel", "StrataDomains", "StrataPropertyList", "StrataStorage",
    ],
    "SettingsPage": [
      "SettingsBundles", "SettingsModel", "StrataDomains", "StrataPropertyList", "StrataStorage",
      "StrataSystem",
    ],
    "StrataSettings": [
      "Foundation", "SettingsBundles", "SettingsModel", "StrataDefaults", "StrataDomains",
      "StrataPropertyList",
    ],
    "StrataDefaults": [
      "Dispatch", "Foundation", "Observation", "SettingsBundles", "StrataDomains",
      "StrataPropertyList", "StrataStorage", "Synchronization",
    ],
    "Strata": ["Foundation", "Observation", "StrataDefaults", "StrataPropertyList"],
    "StrataNSObject": ["StrataDefaults"],
    "StrataKVO": ["Strata", "StrataDefaults", "StrataNSObject"],
    "StrataAppStorage": ["Observation", "StrataDefaults", "Synchronization"],
    "DefaultsCommand": [
      "CStrata", "SettingsBundles", "SettingsModel", "StrataDomains", "StrataPropertyList",
      "StrataStorage",
      "StrataSystem", "Swift",
    ],
    "defaults": ["DefaultsCommand"],
  ]
  /// The C library by the names that it has, and the target that hides which one it is.
  static let libraries: Set = ["Android", "Bionic", "Darwin", "Glibc", "Musl"]
  static let systemTarget = "StrataSystem"

  static let imports = Rule(
    name: "a target imports only what lies below it",
    trials: [
      .breaks(
        "an upward import and a foreign one", at: "Sources/StrataStorage/Store/A.swift:1",
        "Sources/StrataPropertyList/B.swift:2",
        in: [
          "Sources/StrataStorage/Store/A.swift": "package import StrataDomains",
          "Sources/StrataPropertyList/B.swift": "// B.\n@_exported import struct Foundation.Data",
        ]),
      .breaks(
        "a target without a row", at: "Sources/New/A.swift:1",
        in: ["Sources/New/A.swift": "import StrataStorage"]),
      .keeps(
        "what the table allows",
        in: [
          "Sources/StrataStorage/Platform/A.swift":
            "import CStrata\nimport StrataSystem\nimport Synchronization",
          "Sources/StrataSystem/Platform/A.swift":
            "#if canImport(Glibc)\n@_exported public import Glibc\n#endif",
          "Sources/Strata/Strata.swift":
            "@_exported public import Foundation\n"
            + "@_exported import class StrataDefaults.UserDefaults",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isSource).flatMap { file in
      file.declarations.filter { $0.kind == "import" && !libraries.contains($0.name) }
        .compactMap { line in
          let target = file.targetAndFolders?.target ?? ""
          guard allowedImports[target]?.contains(line.name) != true else { return nil }
          return Violation(
            path: file.path, line: line.line, what: "\(target) imports \(line.name)",
            mend: allowedImports[target] == nil
              ? "Give \(target) a row in the table of imports"
              : "Take what it needs as a value or a closure, or change the table and the design")
        }
    }
  }
}
