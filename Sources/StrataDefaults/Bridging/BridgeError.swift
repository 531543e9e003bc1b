/// Why something is no property list, which thing in it that is, and where it lies.
package struct BridgeError: Error, Equatable, Sendable {
  /// What is wrong with the thing.
  package enum Reason: Equatable, Sendable {
    /// No property list holds a thing of its type.
    case type
    /// It is nil, inside of something.
    case missing
    /// It is an integer outside of 64 bits.
    case integerTooLarge
    /// It is a dictionary with a key that is no String.
    case keyNotString
    /// It is a dictionary with two keys that are one as Strings, such as both spellings of é.
    case keysCoincide
    /// It is one level of arrays and dictionaries too many.
    case nestedTooDeep
    /// It is an array or a dictionary inside of itself.
    case containsItself
    /// It is the key that can't be one, for the reason given.
    case key(String)
  }

  /// One step from a container to what is in it.
  package enum Step: Equatable, Sendable {
    case key(String)
    case position(Int)
  }

  /// What is wrong.
  package let reason: Reason
  /// The thing itself, in at most 200 characters.
  package let object: String
  /// The steps that lead to the thing; none when it is what was handed over.
  package var path: [Step] { stepsFromInside.reversed() }

  // The innermost comes first, because steps are added as the error leaves the containers.
  private var stepsFromInside: [Step] = []

  @inline(never)
  init(_ reason: Reason, _ object: String = "") {
    self.reason = reason
    self.object = object.count > 200 ? "\(object.prefix(200))…" : object
  }

  /// The same error, seen from the container that the thing is in at `step`.
  @inline(never)
  func inside(_ step: Step) -> Self {
    var error = self
    error.stepsFromInside.append(step)
    return error
  }

  /// What a person should read: the sentence that Apple's platforms say, and behind it, where they
  /// say nothing, the place and the reason.
  package func message(forKey key: String) -> String {
    let name = String(key.prefix(100)) + (key.dropFirst(100).isEmpty ? "" : "…")
    if case .key(let reason) = reason {
      return "Attempt to insert an object for key \(name.debugDescription) (\(reason))"
    }
    let notes = [path.isEmpty ? nil : "at \(place)", explanation].compactMap(\.self)
    return "Attempt to insert non-property list object \(object) for key \(name)"
      + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
  }

  /// The path as one would write it in Swift, without its middle where it is long.
  private var place: String {
    let steps = path.map { step in
      switch step {
      case .key(let key): "[\(key.debugDescription)]"
      case .position(let position): "[\(position)]"
      }
    }
    return steps.count <= 12
      ? steps.joined() : steps.prefix(6).joined() + "…" + steps.suffix(5).joined()
  }

  private var explanation: String? {
    switch reason {
    case .type, .missing, .key: nil
    case .integerTooLarge: "an integer has at most 64 bits"
    case .keyNotString: "a key must be a String"
    case .keysCoincide: "two keys are the same String"
    case .nestedTooDeep: "arrays and dictionaries are nested too deep"
    case .containsItself: "it contains itself"
    }
  }
}
