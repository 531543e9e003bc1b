import Strata

func readEnvironment() {
  UserDefaults.environmentPrefix = "MYAPP_"
}
