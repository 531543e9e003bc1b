import StrataPropertyList

let bytes = Array("<plist><dict><key>a</key><integer>1</integer></dict></plist>".utf8)
print(try PropertyList.decode(bytes).format)
