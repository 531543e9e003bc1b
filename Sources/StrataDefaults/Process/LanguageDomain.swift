import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// The values that follow from the user's languages. They are determined when one is first read,
/// since loading the locale data takes longer than everything else together.
enum LanguageDomain {
  static func store() -> MemoryStore { MemoryStore(keys: forEachKey) { values() } }

  // A constant array would have the runtime make its type in each process.
  static func forEachKey(_ body: (String) -> Void) {
    body("AppleLanguages")
    body("AppleLocale")
    body("NSMonthNameArray")
    body("NSShortMonthNameArray")
    body("NSWeekDayNameArray")
    body("NSShortWeekDayNameArray")
    body("NSAMPMDesignation")
    body("NSCurrencySymbol")
    body("NSDecimalSeparator")
    body("NSThousandsSeparator")
    body("NSDateFormatString")
    body("NSTimeFormatString")
  }

  private static func values() -> [String: PropertyListValue] {
    values(
      chosen: ArgumentDomain.current()["AppleLanguages"]?.stringArrayValue ?? [],
      environment: ProcessInfo.processInfo.environment)
  }

  /// The values for the languages of the command line, else those of the environment.
  static func values(
    chosen: [String], environment: [String: String]
  ) -> [String: PropertyListValue] {
    let variable: (String) -> String? = { environment[$0] }
    let languages = chosen.isEmpty ? PreferredLanguages.languages(variable) : chosen
    let name =
      chosen.first ?? PreferredLanguages.localeName(variable) ?? languages.first ?? "en"
    return [
      "AppleLanguages": .array(languages.map { .string($0) }),
      "AppleLocale": .string(name.replacing("-", with: "_")),
    ].merging(words(of: Locale(identifier: name))) { $1 }
  }

  private static func words(of locale: Locale) -> [String: PropertyListValue] {
    let formatter = DateFormatter()
    formatter.locale = locale
    formatter.dateStyle = .full
    formatter.timeStyle = .none
    let date = formatter.dateFormat ?? ""
    formatter.dateStyle = .none
    formatter.timeStyle = .medium
    let time = formatter.dateFormat ?? ""
    func texts(_ texts: [String]?) -> PropertyListValue {
      .array((texts ?? []).map { .string($0) })
    }
    return [
      "NSMonthNameArray": texts(formatter.monthSymbols),
      "NSShortMonthNameArray": texts(formatter.shortMonthSymbols),
      "NSWeekDayNameArray": texts(formatter.weekdaySymbols),
      "NSShortWeekDayNameArray": texts(formatter.shortWeekdaySymbols),
      "NSAMPMDesignation": texts([formatter.amSymbol, formatter.pmSymbol].compactMap(\.self)),
      "NSCurrencySymbol": .string(locale.currencySymbol ?? ""),
      "NSDecimalSeparator": .string(locale.decimalSeparator ?? "."),
      "NSThousandsSeparator": .string(locale.groupingSeparator ?? ""),
      "NSDateFormatString": .string(date),
      "NSTimeFormatString": .string(time),
    ]
  }
}
