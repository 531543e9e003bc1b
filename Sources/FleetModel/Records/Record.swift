import StrataDomains
package import StrataPropertyList

/// A value of the store as a dictionary.
package enum Record {
  package static func bytes(
    _ value: PropertyListValue, at place: String
  ) throws(FleetProblem) -> [UInt8] {
    do throws(PropertyListError) {
      return try PropertyList.encode(value, as: .binary)
    } catch {
      throw FleetProblem(place, error.description)
    }
  }

  package static func entries(
    _ bytes: [UInt8], at place: String
  ) throws(FleetProblem) -> [String: PropertyListValue] {
    let value: PropertyListValue
    do throws(PropertyListError) {
      value = try PropertyList.decode(bytes, as: .binary)
    } catch {
      throw FleetProblem(place, "not a property list: \(error)")
    }
    guard let entries = value.dictionaryValue else {
      throw FleetProblem(place, "not a dictionary")
    }
    return entries
  }
}
