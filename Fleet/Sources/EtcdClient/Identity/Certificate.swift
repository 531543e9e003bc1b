/// What matters of a certificate before it is used.
struct Certificate {
  /// In seconds since 1970.
  let start: Int64
  let end: Int64
  /// The names as they are encoded.
  let issuer: [UInt8]
  let subject: [UInt8]
  /// Nil if it is of a kind that is not compared.
  let key: PublicKey?

  /// Nil if these bytes are no certificate.
  init?(_ bytes: [UInt8]) {
    var file = DERReader(bytes[...])
    guard var outer = file.inside(.sequence), var reader = outer.inside(.sequence) else {
      return nil
    }
    _ = reader.next(.option0)  // the version
    guard reader.next(.integer) != nil, reader.next(.sequence) != nil,
      let issuer = reader.next(), var times = reader.inside(.sequence),
      let start = times.time(), let end = times.time(), let subject = reader.next(),
      let key = reader.inside(.sequence)
    else { return nil }
    self.start = start
    self.end = end
    self.issuer = Array(issuer.content)
    self.subject = Array(subject.content)
    self.key = PublicKey(certificate: key)
  }
}
