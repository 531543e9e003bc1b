import DefaultsCommand
import FleetModel
import StrataPropertyList

/// Formats what comes from the store, where anybody with access can have put anything.
enum Shown {
  /// A text from the store on one line, without control characters.
  static func text(_ text: String) -> String { ShownName.escaped(text, but: "") }

  static func date(_ date: PropertyListDate) -> String { ShownValue.text(of: date) }

  /// `5 s`, `3 min`, `2 h` or `4 days`.
  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<0: "0 s"
    case ..<120: "\(Int(seconds)) s"
    case ..<7200: "\(Int(seconds / 60)) min"
    case ..<172_800: "\(Int(seconds / 3600)) h"
    case ..<1e12: "\(Int(seconds / 86_400)) days"
    default: "a long time"
    }
  }

  /// `1 host`, `2 hosts`.
  static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun == "policy" ? "policie" : noun)s"
  }

  static func rollout(_ rollout: Rollout?) -> String {
    switch rollout {
    case nil: "all hosts"
    case .share(let share): "\(percent(share)) of the hosts"
    case .ring(let ring): "hosts up to ring \(ring)"
    }
  }

  /// `5%` or `0.25%`.
  private static func percent(_ share: Int) -> String {
    let (whole, part) = share.quotientAndRemainder(dividingBy: 100)
    if part == 0 { return "\(whole)%" }
    let digits = part < 10 ? "0\(part)" : "\(part)"
    return "\(whole).\(digits.hasSuffix("0") ? String(digits.dropLast()) : digits)%"
  }
}

extension FleetCall {
  /// Prints JSON that no terminal takes for a command, and every parser reads.
  func print(json value: PropertyListValue) throws(Failure) {
    let bytes: [UInt8]
    do throws(PropertyListError) {
      bytes = try PropertyList.encode(
        ShownValue.value(value), as: .json, around: ShownValue.levelsMax)
    } catch {
      throw Failure("cannot write JSON: \(error)")
    }
    // What the encoder leaves of them is in strings, where an escape means the same.
    try session.console.write(ShownName.escapedJSON(String(decoding: bytes, as: UTF8.self)))
  }

  /// Reports what is wrong with values in the store.
  func note(_ problems: [FleetProblem]) {
    for problem in problems {
      session.note("warning: " + Shown.text(problem.description))
    }
  }
}
