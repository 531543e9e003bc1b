import DefaultsCommand

/// The program: what it does is in the library, where tests run it.
@main struct DefaultsTool { static func main() { Program.main() } }
