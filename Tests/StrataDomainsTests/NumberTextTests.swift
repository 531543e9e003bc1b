import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

/// The texts of stored numbers.
struct NumberTextTests {
  // V-8
  @Test func `integers and Booleans are written plainly`() {
    #expect(PropertyListValue.string("as it is").stringValue == "as it is")
    #expect(PropertyListValue.boolean(true).stringValue == "1")
    #expect(PropertyListValue.boolean(false).stringValue == "0")
    #expect(PropertyListValue.integer(.min).stringValue == "-9223372036854775808")
    #expect(PropertyListValue.unsigned(.max).stringValue == "18446744073709551615")
  }

  // V-8
  @Test(arguments: [
    (0.1, "0.1"), (0.1 + 0.2, "0.3"), (1e15, "1000000000000000"), (1e16, "1e+16"),
    (1e-5, "1e-05"), (0.0001, "0.0001"), (1, "1"), (0, "0"), (-0.0, "-0"), (-2.5, "-2.5"),
    (.infinity, "inf"), (-.infinity, "-inf"), (.nan, "nan"), (-Double.nan, "nan"),
    (1e-7, "1e-07"), (.leastNonzeroMagnitude, "4.940656458412465e-324"),
  ])
  func `a real has at most sixteen digits`(real: Double, text: String) {
    #expect(PropertyListValue.real(real).stringValue == text)
  }

  // V-8
  @Test(arguments: [
    (Float(0.1), "0.1"), (1e7, "1e+07"), (1e6, "1000000"), (16_777_216, "1.677722e+07"),
    (-0.0, "-0"), (.nan, "nan"), (-.infinity, "-inf"), (3.402_823_5e38, "3.402823e+38"),
  ])
  func `a single has at most seven digits`(single: Float, text: String) {
    #expect(PropertyListValue.single(single).stringValue == text)
  }

  // V-8
  @Test(arguments: 0..<20)
  func `the text of any real is that of C`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for turn in 0..<100 {
      let bits = random.next()
      // Every other one near 1, where digits before the point are, and without far exponents.
      let real =
        turn % 2 == 0
        ? Double(bitPattern: bits)
        : Double(Int64(truncatingIfNeeded: bits))
          / Double(sign: .plus, exponent: Int(bits % 80), significand: 1)
      guard real.isFinite else { continue }
      let single = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      #expect(PropertyListValue.real(real).stringValue == Self.text("%.16g", real), "seed \(seed)")
      guard single.isFinite else { continue }
      #expect(
        PropertyListValue.single(single).stringValue == Self.text("%.7g", Double(single)),
        "seed \(seed)")
    }
  }

  // V-2, V-8
  @Test func `a locale with a comma changes no number`() async {
    await #expect(processExitsWith: .success) {
      try NumberTextTests.chooseLocaleWithComma()
      #expect(NumberTextTests.text("%.16g", 0.5) == "0,5", "the locale is not in force")
      #expect(PropertyListValue.real(0.5).stringValue == "0.5")
      #expect(PropertyListValue.single(1234.5).stringValue == "1234.5")
      #expect(PropertyListValue.string("2.5").doubleValue == 2.5)
      #expect(PropertyListValue.string("2.5").floatValue == 2.5)
      #expect(PropertyListValue.string("2,5").doubleValue == 2)
      #expect(PropertyListValue.string("1.234,5").integerValue == 0)
    }
  }

  private static func text(_ format: String, _ real: Double) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let count = withVaList([real]) { vsnprintf(&buffer, buffer.count, format, $0) }
    return String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes a locale, since none but C needs to be installed, and puts the process into it.
  private static func chooseLocaleWithComma() throws {
    let tree = try TemporaryTree()
    let source =
      "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n"
    try tree.write(source, to: "source")
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/localedef")
    compiler.arguments = ["-c", "-i", tree.path + "/source", tree.path + "/xx_XX"]
    compiler.standardError = FileHandle.nullDevice
    compiler.standardOutput = FileHandle.nullDevice
    try compiler.run()
    compiler.waitUntilExit()
    setenv("LOCPATH", tree.path, 1)
    _ = try #require(setlocale(LC_NUMERIC, "xx_XX"))
  }
}
