import Foundation

// A list of things to do, as it was written for Foundation: nothing here knows of Strata.
//
//     swift run DropIn add "Buy milk"
//     swift run DropIn done 1
//     swift run DropIn

let defaults = UserDefaults.standard
defaults.register(defaults: ["ShowNumbers": true, "Tasks": [String]()])

var tasks = defaults.stringArray(forKey: "Tasks") ?? []
let arguments = CommandLine.arguments.dropFirst()

switch (arguments.first, arguments.dropFirst().first) {
case ("add", let text?):
  tasks.append(text)
  defaults.set(tasks, forKey: "Tasks")
  defaults.set(Date(), forKey: "LastChange")
case ("done", let number?):
  guard let index = Int(number), tasks.indices.contains(index - 1) else {
    print("there is no task \(number)")
    exit(64)
  }
  tasks.remove(at: index - 1)
  defaults.set(tasks, forKey: "Tasks")
  defaults.set(Date(), forKey: "LastChange")
default:
  break
}

for (index, task) in tasks.enumerated() {
  print(defaults.bool(forKey: "ShowNumbers") ? "\(index + 1). \(task)" : task)
}
if let date = defaults.object(forKey: "LastChange") as? Date { print("changed \(date)") }
