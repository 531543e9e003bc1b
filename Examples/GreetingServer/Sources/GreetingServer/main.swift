import Strata

// Answers each connection with a greeting, and follows its settings while it runs:
//
//     swift run GreetingServer &
//     nc localhost 8080
//     defaults write GreetingServer Greeting "Good evening"
//     defaults write GreetingServer Port -int 8081

extension UserDefaults.Keys {
  static let greeting = Key("Greeting", default: "Hello")
  static let port = Key("Port", default: UInt16(8080))
  static let connections = Key("Connections", default: 0)
}

let defaults = UserDefaults.standard
var listener: Listener?
for await port in defaults.values(for: .port) {
  listener?.close()
  listener = Listener(port: port) { connection in
    // A read of a setting costs no system call, so it is read when it is needed.
    connection.send(defaults.greeting + "\n")
    defaults.update(.connections) { $0 += 1 }
  }
  print(listener == nil ? "port \(port) is not free" : "listening on port \(port)")
}
