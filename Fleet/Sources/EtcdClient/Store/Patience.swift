/// How long one member is waited for.
struct Patience {
  /// For a call.
  var call = Duration.seconds(5)
  /// Until it has created a watch.
  var watch = Duration.seconds(3)
  /// For each question about itself.
  var inquiry = Duration.seconds(3)
}
