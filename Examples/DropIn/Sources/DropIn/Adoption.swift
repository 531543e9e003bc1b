// The one file that was added: from here on, `UserDefaults` in this target is Strata's.
@_exported import Strata
