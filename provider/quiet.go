package provider

import (
	"fmt"
	"strings"
)

// sdkLevel is the variable by which the plugin SDK is told how much to log.
const sdkLevel = "TF_LOG_SDK"

// Quiet keeps the plugin SDK from logging where nobody has asked Terraform for any
// log: it would send lines with every request, which Terraform reads and drops, and
// with many resources that is a quarter of the processor time that a plan takes.
// environ is the environment, as os.Environ has it, and set changes it.
func Quiet(environ []string, set func(name, value string) error) error {
	for _, variable := range environ {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return nil
		}
	}
	if err := set(sdkLevel, "off"); err != nil {
		return fmt.Errorf("turn off logs that nobody reads: %w", err)
	}
	return nil
}
