package provider_test

import (
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider"
)

func TestLogsWanted(t *testing.T) {
	for _, tt := range []struct {
		variable string
		want     bool
	}{
		{"TF_LOG=trace", true},
		{"TF_LOG_PROVIDER=WARN", true},
		{"TF_LOG_PROVIDER_AVAILABILITY=debug", true},
		{"TF_LOG_SDK_FRAMEWORK=off", true}, // Who sets these knows what they want of each.
		{"TF_LOG=", false},
		{"TF_LOG_CORE=trace", false},
		{"TF_LOG_PATH=terraform.log", false},
		{"TF_IN_AUTOMATION=1", false},
	} {
		if got := provider.LogsWanted([]string{"HOME=/", tt.variable}); got != tt.want {
			t.Errorf("with %s, logs are wanted: %v", tt.variable, got)
		}
	}
}
