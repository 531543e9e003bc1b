import DefaultsCommand

/// What is said of the command `defaults fleet`, apart from its verbs.
extension ProgramText {
  static let fleet = ProgramText(
    name: "defaults fleet", title: "Manages the settings of many machines.", usesDomains: false,
    common: CommandOption.store,
    manual: Manual(
      purpose: "manage the settings of many machines",
      description: [
        "defaults fleet publishes policies: settings that an administrator gives to many "
          + "machines. Policies are kept in a store, etcd. An agent on each host applies those "
          + "that are for the host; programs find the values where they always do.",
        "A policy is for a layer and a domain. The layers are, in ascending order of precedence: "
          + "all, os:NAME, group:NAME, host:NAME and user:NAME. Of the levels, forced is the "
          + "user's only value, recommended counts as long as the user sets no other, and once is "
          + "set once per version. A value that is enforced has priority over those of higher "
          + "layers.",
        "A version may be published to some hosts first, as a candidate: to a share of them, or to "
          + "those up to a ring. promote lets more or all have it, and rollback takes it back.",
      ],
      options: [
        "Options follow the verb. Besides its own, each verb that needs the store has the "
          + "following. Where the store is can be set once for all, in the domain strata.fleet, "
          + "with the keys Endpoints, CertificateAuthority, Certificate, Key, User and "
          + "PasswordFile."
      ],
      exitStatus: [
        "0 for success; 1 for an error, a refusal, or a problem that status or doctor finds; 2 if "
          + "plan, publish, promote, rollback or enroll with --detailed-exitcode changed "
          + "something, or would; 255 for a usage error, with the syntax of the verb."
      ],
      environment: [
        ("NO_COLOR", "if set and not empty, disables colored output."),
        ("USER", "the author of changes, if the system knows no name of the user."),
      ],
      files: [
        ("LAYER/DOMAIN.plist, LAYER/DOMAIN.json", "a policy, as plan and publish read it."),
        ("/etc/defaults/strata.fleet.plist", "where the store is, for all users of this machine."),
      ],
      examples: [
        ("defaults fleet plan policies/", "shows what a directory of policies would change."),
        (
          "defaults fleet publish policies/ --canary 5% --reason 'larger text'",
          "publishes it to one host in twenty."
        ),
        (
          "defaults fleet promote all/com.example.app --reason 'works'", "publishes it to all."
        ),
        ("defaults fleet rollback all/com.example.app --reason 'broken'", "takes it back."),
        (
          "defaults fleet preview --host web1 com.example.app",
          "shows which values a host has, and from which policies."
        ),
      ],
      related: ["defaults(1), etcd(1), etcdctl(1)"]))
}
