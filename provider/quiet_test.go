package provider_test

import (
	"errors"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider"
)

// Whoever asks Terraform for a log has the SDK's lines in it, by whichever variable;
// nobody else pays for them.
func TestQuiet(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		environ []string
		quiet   bool
	}{
		"nothing":                   {nil, true},
		"another's":                 {[]string{"PATH=/bin", "TF_VAR_TF_LOG=trace", "TF_CLI_ARGS=-no-color"}, true},
		"empty":                     {[]string{"TF_LOG=", "TF_LOG_PROVIDER="}, true},
		"all logs":                  {[]string{"TF_LOG=trace"}, false},
		"those of providers":        {[]string{"TF_LOG=", "TF_LOG_PROVIDER=DEBUG"}, false},
		"those of one provider":     {[]string{"TF_LOG_PROVIDER_AVAILABILITY=info"}, false},
		"those of the SDK":          {[]string{"TF_LOG_SDK=warn"}, false},
		"those of a part of it":     {[]string{"TF_LOG_SDK_FRAMEWORK=debug"}, false},
		"what there is, in a file":  {[]string{"TF_LOG_PATH=/tmp/log"}, false},
		"a value with an equals in": {[]string{"TF_LOG_PATH=a=b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := map[string]string{}
			err := provider.Quiet(tt.environ, func(name, value string) error {
				set[name] = value
				return nil
			})
			if quiet := set["TF_LOG_SDK"] == "off" && len(set) == 1; err != nil || quiet != tt.quiet || !quiet && len(set) > 0 {
				t.Errorf("sets %v: %v; want quiet %t", set, err, tt.quiet)
			}
		})
	}
	full := errors.New("no room")
	if err := provider.Quiet(nil, func(string, string) error { return full }); !errors.Is(err, full) {
		t.Errorf("the environment cannot be changed: %v", err)
	}
}
