package trigger_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
)

// A list has every page, leaves out what is nobody's, and goes on after an error
// that is one rule's.
func TestEventBridge_list(t *testing.T) {
	t.Parallel()
	b := &bus{
		names:  []string{"a", "plain", "managed", "gone", "denied", "b"},
		owners: map[string]string{"a": "table/5min", "managed": "table/x", "b": "other/1h"},
		errs:   map[string]error{"gone": apiError("ResourceNotFoundException", "gone"), "denied": apiError("AccessDeniedException", "not you")},
	}
	rules := trigger.NewEventBridge(b)
	list := func() (found []trigger.Listed, errs []error) {
		for listed, err := range rules.List(t.Context()) {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			found = append(found, listed)
		}
		return found, errs
	}
	found, errs := list()
	if diff := cmp.Diff([]trigger.Listed{{Name: "a", Owner: "table/5min"}, {Name: "b", Owner: "other/1h"}}, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(errs) != 1 || !errors.Is(errs[0], trigger.ErrAccessDenied) {
		t.Errorf("errors %v", errs)
	}
	for first, err := range rules.List(t.Context()) {
		if err != nil || first.Name != "a" {
			t.Errorf("the first is %v, %v", first, err)
		}
		break
	}

	b.errs["ListRules2"] = apiError("ThrottlingException", "slow down")
	if found, errs := list(); len(found) != 1 || len(errs) != 1 || !errors.Is(errs[0], trigger.ErrThrottled) {
		t.Errorf("after a page that fails: %v, %v", found, errs)
	}
}
