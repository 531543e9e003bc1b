import Foundation
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// What follows from the user's languages.
struct LanguageDomainTests {
  private func languages(
    _ environment: [String: String], chosen: [String] = []
  ) -> ([PropertyListValue], locale: PropertyListValue?) {
    let values = LanguageDomain.values(chosen: chosen, environment: environment)
    guard case .array(let items)? = values["AppleLanguages"] else { return ([], nil) }
    return (items, values["AppleLocale"])
  }

  // D-21
  @Test func `every regional preference has a value and is searched`() throws {
    let fixture = try DefaultsFixture()
    let domain = fixture.defaults.volatileDomain(forName: UserDefaults.languageDomain)
    #expect(
      Set(domain.keys) == [
        "AppleLanguages", "AppleLocale", "NSMonthNameArray", "NSShortMonthNameArray",
        "NSWeekDayNameArray", "NSShortWeekDayNameArray", "NSAMPMDesignation", "NSCurrencySymbol",
        "NSDecimalSeparator", "NSThousandsSeparator", "NSDateFormatString", "NSTimeFormatString",
      ])
    let defaults = fixture.defaults
    #expect(defaults.stringArray(forKey: "AppleLanguages") == ["en-US"])
    #expect(defaults.string(forKey: "AppleLocale") == "en_US")
    #expect(defaults.stringArray(forKey: "NSMonthNameArray")?.first == "January")
    #expect(defaults.stringArray(forKey: "NSShortMonthNameArray")?.last == "Dec")
    #expect(defaults.stringArray(forKey: "NSWeekDayNameArray")?.first == "Sunday")
    #expect(defaults.stringArray(forKey: "NSShortWeekDayNameArray")?.count == 7)
    #expect(defaults.stringArray(forKey: "NSAMPMDesignation") == ["AM", "PM"])
    #expect(defaults.string(forKey: "NSCurrencySymbol") == "$")
    #expect(defaults.string(forKey: "NSDecimalSeparator") == ".")
    #expect(defaults.string(forKey: "NSThousandsSeparator") == ",")
    #expect(defaults.string(forKey: "NSDateFormatString")?.contains("y") == true)
    #expect(defaults.string(forKey: "NSTimeFormatString")?.contains("mm") == true)
  }

  // D-21
  @Test func `a file or a registered value stands before or behind the languages`() throws {
    let fixture = try DefaultsFixture()
    fixture.defaults.register(defaults: ["NSDecimalSeparator": "registered"])
    #expect(fixture.defaults.string(forKey: "NSDecimalSeparator") == ".")
    fixture.defaults.set(":", forKey: "NSDecimalSeparator")
    #expect(fixture.defaults.string(forKey: "NSDecimalSeparator") == ":")
  }

  // D-21
  @Test func `the environment says which languages and which locale`() {
    #expect(languages([:]) == ([.string("en")], .string("en")))
    #expect(languages(["LANG": "C.UTF-8"]) == ([.string("en")], .string("en")))
    #expect(languages(["LANG": "de_AT.UTF-8"]) == ([.string("de-AT")], .string("de_AT")))
    #expect(
      languages(["LANG": "de_AT.UTF-8", "LC_ALL": "fr_FR"]) == (
        [.string("fr-FR")], .string("fr_FR")
      ))
    #expect(
      languages(["LANG": "de_DE@euro", "LANGUAGE": "sv:pt_BR"])
        == ([.string("sv"), .string("pt-BR")], .string("de_DE")))
    #expect(languages(["LANG": "", "LC_ALL": ""]) == ([.string("en")], .string("en")))
  }

  // D-21
  @Test func `languages that were chosen go before those of the environment`() {
    let environment = ["LANG": "fr_FR.UTF-8", "LANGUAGE": "sv"]
    let chosen = languages(environment, chosen: ["de", "en"])
    #expect(chosen == ([.string("de"), .string("en")], .string("de")))
    let values = LanguageDomain.values(chosen: ["de"], environment: environment)
    #expect(values["NSDecimalSeparator"] == .string(","))
  }
}
