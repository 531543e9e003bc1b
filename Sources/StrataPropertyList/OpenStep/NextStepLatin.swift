/// The character set of NeXTSTEP, to which octal escapes above `\177` refer.
enum NextStepLatin {
  /// The character of a byte; bytes below 128 are ASCII.
  static func scalar(of byte: UInt8) -> Unicode.Scalar {
    byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]
  }

  private static let upperHalf = Array(
    ("\u{A0}ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏ"
      + "ÐÑÒÓÔÕÖÙÚÛÜÝÞµ×÷"
      + "©¡¢£⁄¥ƒ§¤’“«‹›ﬁﬂ"
      + "®–†‡·¦¶•‚„”»…‰¬¿"
      + "¹ˋ´ˆ˜¯˘˙¨²˚¸³˝˛ˇ"
      + "—±¼½¾àáâãäåçèéêë"
      + "ìÆíªîïðñŁØŒºòóôõ"
      + "öæùúûıüýłøœßþÿ\u{FFFD}\u{FFFD}").unicodeScalars)
}
