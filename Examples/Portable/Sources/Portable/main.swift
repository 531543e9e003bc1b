import ReaderSettings

// Checks what it says: the library behaves alike with either class.

let settings = ReaderSettings()
settings.fontSize += 1
settings.openBooks.append("Book \(settings.openBooks.count + 1)")
let isAsSet = settings.fontSize == 13 && settings.openBooks == ["Book 1"]
print("\(String(reflecting: UserDefaults.self)): \(settings.fontSize), \(settings.openBooks)")
exit(isAsSet ? 0 : 1)
