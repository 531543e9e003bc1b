// The one file that makes our class this target's own: nothing else here knows of Strata.
@_exported import Strata
