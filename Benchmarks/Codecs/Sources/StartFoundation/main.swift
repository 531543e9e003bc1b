import Foundation

let data = Data("<plist><dict><key>a</key><integer>1</integer></dict></plist>".utf8)
let value = try PropertyListSerialization.propertyList(from: data, format: nil)
print(value is [String: Any])
