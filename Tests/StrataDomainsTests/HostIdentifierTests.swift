import Testing

@testable import StrataDomains

/// What stands for a machine in names of files.
struct HostIdentifierTests {
  private let number = "0123456789abcdef0123456789abcdef"

  // D-26
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 55),
      "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"
    ),
    (
      String(repeating: "a", count: 63),
      "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"
    ),
    (
      String(repeating: "a", count: 64),
      "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"
    ),
    (
      String(repeating: "a", count: 65),
      "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"
    ),
    (
      String(repeating: "a", count: 119),
      "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"
    ),
    (
      String(repeating: "a", count: 120),
      "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"
    ),
    (
      String(repeating: "a", count: 1000),
      "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
    ),
  ])
  func `the hash is SHA-256`(text: String, hash: String) {
    #expect(SHA256.hexadecimal(of: Array(text.utf8)) == hash)
  }

  // D-26
  @Test func `a host is twelve digits of the hash of the machine's number for ever`() throws {
    let tree = try TemporaryTree()
    try tree.write(number + "\n", to: "etc/machine-id")
    try tree.write("fedcba9876543210fedcba9876543210\n", to: "var/lib/dbus/machine-id")
    #expect(HostIdentifier.read(root: tree.path).text == "3eb1bd439947")
    #expect(HostIdentifier.read(root: tree.path) == HostIdentifier(of: number))
  }

  // D-26
  @Test(arguments: ["", "uninitialized\n", "00000000000000000000000000000000\n", "0123\n", "\0"])
  func `without a number there is the other file and then the name`(content: String) throws {
    let tree = try TemporaryTree()
    #expect(HostIdentifier.read(root: tree.path) == HostIdentifier(of: "localhost"))
    try tree.write("bigbox\n", to: "proc/sys/kernel/hostname")
    try tree.write(content, to: "etc/machine-id")
    #expect(HostIdentifier.read(root: tree.path) == HostIdentifier(of: "bigbox"))
    try tree.write(content, to: "var/lib/dbus/machine-id")
    #expect(HostIdentifier.read(root: tree.path) == HostIdentifier(of: "bigbox"))
    try tree.write(number, to: "var/lib/dbus/machine-id")
    #expect(HostIdentifier.read(root: tree.path) == HostIdentifier(of: number))
  }
}
