import Glibc

/// The functions that libFuzzer calls.
enum EntryPoints {
  static let target: FuzzTarget = {
    let name = getenv("STRATA_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
      print("STRATA_FUZZ_TARGET must be one of: \(names)")
      exit(2)
    }
    return target
  }()
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  EntryPoints.target.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
