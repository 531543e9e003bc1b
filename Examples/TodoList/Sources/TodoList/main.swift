import Strata

// A list of things to do, stored as a Codable value. Two terminals that add at once lose nothing,
// and `defaults read TodoList` shows the list as what it is.
//
//     swift run TodoList add "Buy milk"
//     swift run TodoList done 1
//     swift run TodoList

struct Item: Codable, StorableValue {
  var title: String
  var isDone = false
  var added = Date()
}

extension UserDefaults.Keys {
  static let items = Key("Items", default: [Item]())
  static let showsDone = Key("ShowsDone", default: true)
}

let defaults = UserDefaults.standard
let arguments = CommandLine.arguments.dropFirst()

switch (arguments.first, arguments.dropFirst().first) {
case ("add", let title?):
  defaults.update(.items) { $0.append(Item(title: title)) }
case ("done", let number?):
  let isFound = defaults.update(.items) { items in
    guard let index = Int(number), items.indices.contains(index - 1) else { return false }
    items[index - 1].isDone = true
    return true
  }
  if !isFound {
    print("there is no item \(number)")
    exit(64)
  }
default:
  break
}

for (index, item) in defaults.items.enumerated() where !item.isDone || defaults.showsDone {
  print("\(index + 1). \(item.isDone ? "[x]" : "[ ]") \(item.title)")
}
