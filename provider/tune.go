package provider

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// silent are the variables that set how much is logged by what the provider is built
// on, and by itself.
func silent() []string {
	return []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER_AVAILABILITY"}
}

// Tune makes a process that Terraform has started quick. Where nobody has asked for
// logs, Terraform is still sent every one of them, at the level of traces, parses it
// and throws it away: that was more than a quarter of a large plan's processor time.
// And garbage may be larger than Go has it by default, as the process is small and
// short-lived, but not where many long ranges are read at once.
func Tune() error {
	if !logsWanted(os.Environ()) {
		for _, name := range silent() {
			if err := os.Setenv(name, "off"); err != nil {
				return fmt.Errorf("unable to turn logs off that nobody reads: %w", err)
			}
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(512 << 20)
	}
	return nil
}

// logsWanted is whether an environment asks Terraform for logs of providers, or this
// provider for its own.
func logsWanted(environment []string) bool {
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "TF_LOG") && name != "TF_LOG_CORE" && name != "TF_LOG_PATH" && value != "" {
			return true
		}
	}
	return false
}
