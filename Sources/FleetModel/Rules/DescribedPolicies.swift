package import SettingsBundles
import SettingsModel
import StrataDomains

/// Checks a policy against the Settings bundle of its domain, before it is published.
package enum DescribedPolicies {
  package static func problems(
    of content: PolicyContent, named name: PolicyName, in bundle: SettingsBundle
  ) -> [FleetProblem] {
    content.entries.sorted { $0.key < $1.key }.compactMap { key, entry in
      guard let setting = bundle.setting(forKey: key) else { return nil }
      do throws(Setting.Refusal) {
        try setting.check(entry.value)
        return nil
      } catch {
        return FleetProblem(name.text, "\(key): \(error.text)")
      }
    }
  }
}
