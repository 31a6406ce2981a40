package cadencebucket_test

import (
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// Without credentials nothing is sent, so that nothing has to be taken back; who
// refuses them is named.
func TestBucket_noCredentials(t *testing.T) {
	w := newWorld(t)
	d := acctest.NewDriver(t, typeName, nil)
	acctest.WithoutCredentials(t)
	for _, test := range []struct {
		settings acctest.Config
		want     string
	}{
		{nil, "No AWS credentials were found, so that nothing was sent."},
		{
			acctest.Config{"assume_role_with_web_identity": acctest.Config{"role_arn": "arn:aws:iam::123456789012:role/planner", "web_identity_token_file": "no-such-token"}},
			"no-such-token",
		},
	} {
		if errs := d.Configure(test.settings); len(errs) > 0 {
			t.Fatal(errs)
		}
		errs := d.Apply(bucketConfig(w, "none", nil))
		if len(errs) != 1 || !strings.Contains(errs[0], test.want) || strings.Contains(errs[0], "did not answer") || strings.Contains(errs[0], "got no answer") {
			t.Errorf("errors: %q", errs)
		}
		if d.State() != nil || d.Tainted() {
			t.Errorf("there is a state: %v", d.State())
		}
	}
}
