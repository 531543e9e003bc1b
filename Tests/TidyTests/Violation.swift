/// A place where the package breaks a rule, and how to mend it.
struct Violation: Sendable, CustomStringConvertible {
  let path: String
  let line: Int
  let what: String
  let mend: String

  var place: String { "\(path):\(line)" }
  var description: String { "\(place): \(what). \(mend)." }
}
