import FleetModel
import RevisionedStore
import StrataPropertyList

/// Certificates that end, after which nobody can reach the store.
extension Diagnosis {
  private static let daysWarned = 30.0

  mutating func add(_ certificates: [CertificateStatus], at now: PropertyListDate) {
    for certificate in certificates {
      let end = PropertyListDate(secondsSince1970: certificate.end)
      let days = (end.secondsSinceReference - now.secondsSinceReference) / 86_400
      let mend = "renew it: a renewed file is used without a restart"
      if days < 0 {
        add(.error, certificate.file, "it was valid until \(Shown.date(end))", mend)
      } else if days < Self.daysWarned {
        add(
          .warning, certificate.file,
          "it is valid until \(Shown.date(end)), for \(Shown.duration(days * 86_400))", mend)
      }
    }
  }
}

extension PropertyListDate {
  init(secondsSince1970 seconds: Int64) {
    // The reference is 2001-01-01.
    self.init(secondsSinceReference: Double(seconds) - 978_307_200)
  }
}
