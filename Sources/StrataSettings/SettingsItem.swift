import SettingsBundles

/// What a pane or a group contains: settings, groups, and other panes.
public protocol SettingsItem: Sendable {
  /// What the pane's file has of it.
  var parts: [SettingsPart] { get }
}

/// A part of a pane's file.
public struct SettingsPart: Sendable {
  enum Content: Sendable {
    case specifier(Specifier)
    case pane(SettingsPane)
  }

  let content: Content

  static func specifier(_ specifier: Specifier) -> SettingsPart {
    SettingsPart(content: .specifier(specifier))
  }

  static func pane(_ pane: SettingsPane) -> SettingsPart { SettingsPart(content: .pane(pane)) }
}

/// Collects the items of a pane or a group.
@resultBuilder
public enum SettingsBuilder {
  /// A single item.
  public static func buildExpression(_ item: some SettingsItem) -> [any SettingsItem] { [item] }
  /// Items in their order.
  public static func buildBlock(_ items: [any SettingsItem]...) -> [any SettingsItem] {
    items.flatMap(\.self)
  }
  /// Items behind an `if` without `else`.
  public static func buildOptional(_ items: [any SettingsItem]?) -> [any SettingsItem] {
    items ?? []
  }
  /// Items of the first branch.
  public static func buildEither(first items: [any SettingsItem]) -> [any SettingsItem] { items }
  /// Items of the second branch.
  public static func buildEither(second items: [any SettingsItem]) -> [any SettingsItem] { items }
  /// Items of a loop.
  public static func buildArray(_ items: [[any SettingsItem]]) -> [any SettingsItem] {
    items.flatMap(\.self)
  }
}
