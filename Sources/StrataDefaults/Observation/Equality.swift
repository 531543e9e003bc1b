/// Whether two values are equal; false where values of the type can't be compared.
func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
  func areEqual<Known: Equatable>(as type: Known.Type) -> Bool {
    guard let one = one as? Known, let other = other as? Known else { return false }
    return one == other
  }
  return (Value.self as? any Equatable.Type).map { areEqual(as: $0) } ?? false
}
