import Foundation
package import StrataStorage

/// What no domain below a directory may be when a test is done with it.
package func brokenDomains(below directory: String) -> [StoreCheck.Finding] {
  guard let names = FileManager.default.enumerator(atPath: directory) else { return [] }
  var findings: [StoreCheck.Finding] = []
  for case let name as String in names {
    let parts = name.split(separator: "/")
    guard parts.count > 1, parts[parts.count - 2] == ".strata", name.hasSuffix(".journal") else {
      continue
    }
    let plist = ([directory] + parts.dropLast(2).map(String.init)).joined(separator: "/")
    // For everyone: whose it is, its path does not tell.
    let paths = StorePaths(plist: plist + "/" + parts[parts.count - 1].dropLast(8), for: .everyone)
    findings += StoreCheck(paths).findings.filter { $0.severity == .broken }
  }
  return findings
}
