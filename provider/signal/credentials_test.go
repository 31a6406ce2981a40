package signal_test

import (
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// Without credentials nothing is sent, and so nothing is left in doubt.
func TestSignal_noCredentials(t *testing.T) {
	w := newWorld(t)
	single, season := w.driver(signalType, nil), w.driver(rangeType, nil)
	restore := acctest.WithoutCredentials(t)
	settings := acctest.Config{"table_name": w.table, "time_zone": "America/Vancouver"}
	for _, test := range []struct {
		driver *acctest.Driver
		config acctest.Config
	}{{single, exactSignal(nil)}, {season, exactRange(nil)}} {
		holdErrors(t, test.driver.Configure(settings))
		errs := test.driver.Apply(test.config)
		if len(errs) != 1 || !strings.Contains(errs[0], "No AWS credentials were found, so that nothing was sent.") || !strings.Contains(errs[0], "Set AWS_PROFILE") || strings.Contains(errs[0], "did not answer") || strings.Contains(errs[0], "in the table") {
			t.Errorf("errors: %q", errs)
		}
		if test.driver.State() != nil || test.driver.Tainted() {
			t.Errorf("there is a state: %v", test.driver.State())
		}
	}
	restore()
	if there := w.items(); len(there) > 0 {
		t.Errorf("there is %v", there)
	}
}
