/// What a certificate and its key have in common.
enum PublicKey: Equatable {
  case rsa(modulus: [UInt8])
  case elliptic(point: [UInt8])
}

extension PublicKey {
  /// Of a certificate; nil for another kind of key.
  init?(certificate reader: DERReader) {
    var reader = reader
    guard reader.next(.sequence) != nil, let bits = reader.bits() else { return nil }
    if bits.first == DERReader.Kind.sequence.rawValue {
      var outer = DERReader(bits)
      guard var numbers = outer.inside(.sequence), let modulus = numbers.next(.integer) else {
        return nil
      }
      self = .rsa(modulus: Array(modulus))
    } else {
      self = .elliptic(point: Array(bits))
    }
  }

  /// Of a private key's file; nil if the file does not say it.
  init?(privateKey bytes: ArraySlice<UInt8>) {
    var outer = DERReader(bytes)
    guard var reader = outer.inside(.sequence), let version = reader.next(.integer) else {
      return nil
    }
    switch reader.nextTag {
    case DERReader.Kind.sequence.rawValue:
      // Of any kind, with the kind's own form within.
      guard reader.next(.sequence) != nil, let inner = reader.next(.bytes),
        let found = PublicKey(privateKey: inner)
      else { return nil }
      self = found
    case DERReader.Kind.integer.rawValue:
      guard let modulus = reader.next(.integer) else { return nil }
      self = .rsa(modulus: Array(modulus))
    case DERReader.Kind.bytes.rawValue where version.elementsEqual([1]):
      _ = reader.next(.bytes)
      _ = reader.next(.option0)
      guard var last = reader.inside(.option1), let point = last.bits() else { return nil }
      self = .elliptic(point: Array(point))
    default: return nil
    }
  }
}
