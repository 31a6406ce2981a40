package provider

// LogsWanted is whether an environment asks for logs.
func LogsWanted(environment []string) bool { return logsWanted(environment) }
