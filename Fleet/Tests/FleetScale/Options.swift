/// What the program is asked to do.
struct Options {
  var agents = 10_000
  var changes = 20
  /// How long the server is away when it is killed; 0: it is not.
  var away = 2.0
  /// Over how many seconds reports are spread; 0: there are none. The agent has 500 a second.
  var spread: Double { chosenSpread ?? max(1, Double(agents) / 500) }
  private var chosenSpread: Double?
  var proxies = 0
  var isEncrypted = false
  var isReal = false

  /// Over how many seconds the agents start.
  var startSeconds: Double { Double(agents) / 250 }

  static let help = """
    FleetScale [--agents N] [--changes N] [--away SECONDS] [--spread SECONDS] [--proxies N]
      [--tls] [--real]
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func number<Number: LosslessStringConvertible>() throws -> Number {
      guard let text = rest.popFirst(), let number = Number(text) else { throw Mistake(Self.help) }
      return number
    }
    while let word = rest.popFirst() {
      switch word {
      case "--agents": agents = try number()
      case "--changes": changes = try number()
      case "--away": away = try number()
      case "--spread": chosenSpread = try number()
      case "--proxies": proxies = try number()
      case "--tls": isEncrypted = true
      case "--real": isReal = true
      default: throw Mistake(Self.help)
      }
    }
  }
}
