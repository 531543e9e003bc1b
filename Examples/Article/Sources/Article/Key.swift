struct Key: RawRepresentable {
  let rawValue: String
}

extension Key: ExpressibleByStringLiteral {
  init(stringLiteral: String) {
    rawValue = stringLiteral
  }
}

extension Key {
  static let isFirstLaunch: Key = "isFirstLaunch"
}
