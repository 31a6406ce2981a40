package awsclient_test

import (
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
)

func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"":                       false,
		"ab":                     false,
		"abc":                    true,
		"AZaz09.-_":              true,
		strings.Repeat("t", 255): true,
		strings.Repeat("t", 256): false,
		"park signals":           false,
		"signals\n":              false,
		"signalé":                false,
		"table/signals":          false,
		"arn:aws:x":              false,
		"sign@ls":                false,
		"sign[ls":                false,
		"sign`ls":                false,
		"sign{ls":                false,
	} {
		if got := awsclient.ValidName(name); got != want {
			t.Errorf("ValidName(%q) = %t", name, got)
		}
	}
}
