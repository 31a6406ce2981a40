package cadencebucket_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// A list has the buckets of one table, each as an import would find it.
func TestBucket_list(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	named := bucketConfig(w, "named", acctest.Config{"rule_name": acctest.Name("anyhow"), "tags": acctest.Config{"team": "reservations"}})
	plain := bucketConfig(w, "5min", nil)
	d, other := made(t, named), made(t, plain)
	// What a create left that was killed, and somebody's own.
	w.putRule(acctest.Name("left"), map[string]string{"availability:bucket": w.table + "/left"})
	w.putRule(acctest.Name("theirs"), map[string]string{"team": "other"})

	s := acctest.NewServer(t, acctest.Config{"table_name": w.table})
	list := func(config acctest.Config, include bool, limit int64) []acctest.Listed {
		t.Helper()
		listed, errs := s.List(typeName, config, include, limit)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		slices.SortFunc(listed, func(a, b acctest.Listed) int { return len(a.Name) - len(b.Name) })
		return listed
	}
	identity := func(name string) map[string]any { return map[string]any{"table_name": w.table, "name": name} }
	want := []acctest.Listed{{Name: "5min", Identity: identity("5min")}, {Name: "named", Identity: identity("named")}}
	if diff := cmp.Diff(want, list(nil, false, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := list(acctest.Config{"table_name": w.table}, false, 1); len(got) != 1 {
		t.Errorf("with a limit of 1 there are %v", got)
	}
	if got := list(acctest.Config{"table_name": "elsewhere"}, false, 0); len(got) != 0 {
		t.Errorf("in another table there are %v", got)
	}
	want[0].Resource, want[1].Resource = other.State(), d.State()
	if diff := cmp.Diff(want, list(nil, true, 0)); diff != "" {
		t.Errorf("with resources (-want +got):\n%s", diff)
	}
	if errs := d.Destroy(); len(errs) > 0 {
		t.Error(errs)
	}
	holdDestroyed(t, w, other, "5min")
}

// An error is a result of its own, with what went wrong, and the list goes on.
func TestBucket_listErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, other := made(t, bucketConfig(w, "5min", nil)), made(t, bucketConfig(w, "15min", nil))
	w.set("cadenceBucket::15min", "cadenceBucket", "format", number("2"))
	s := acctest.NewServer(t, nil)
	listed, errs := s.List(typeName, acctest.Config{"table_name": w.table}, false, 0)
	if len(errs) > 0 || len(listed) != 2 {
		t.Fatalf("listed %v, errors %q", listed, errs)
	}
	slices.SortFunc(listed, func(a, b acctest.Listed) int { return len(a.Errors) - len(b.Errors) })
	if listed[0].Name != "5min" || len(listed[0].Errors) != 0 {
		t.Errorf("the good one is %v", listed[0])
	}
	holdErrors(t, listed[1].Errors, `Unable to list cadence bucket "15min": Read bucket "15min" in table "`+w.table+`": registry item has format 2, this release reads format 1: written by a newer release; install the release of availability that wrote it, or a later one.`+"\n\n"+
		"The list is not complete.\n\nInstall the release of the provider that wrote it, or a later one.")

	hold := func(settings acctest.Config, want string) {
		t.Helper()
		listed, errs := acctest.NewServer(t, settings).List(typeName, nil, false, 0)
		if len(errs) > 0 || len(listed) != 1 {
			t.Fatalf("listed %v, errors %q", listed, errs)
		}
		holdErrors(t, listed[0].Errors, want)
	}
	hold(nil, "table_name: Unable to list cadence buckets: There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.\n\nSet table_name here or in the provider's configuration.")
	hold(acctest.Config{"table_name": w.table, "region": acctest.Unknown{}}, "Unable to list cadence buckets: Settings of the provider are not known yet.\n\nSet them to values that are known without an apply.")

	proxy := acctest.NewFaultProxy(t)
	proxy.Set(acctest.Fault{Operation: "ListRules", Effect: acctest.Fail(400, "AccessDeniedException", "not you")})
	hold(proxy.Settings(acctest.Config{"table_name": w.table}), `Unable to list cadence buckets of table "`+w.table+`": The credentials are not allowed to list the account's rules.`+"\n\n"+
		"The list is not complete.\n\nAllow them the action that AWS names, or have the provider use others.\n\n"+
		"EventBridge answered ListRules with AccessDeniedException: not you (request id injected)")

	w.set("cadenceBucket::15min", "cadenceBucket", "format", number("1"))
	holdDestroyed(t, w, d, "5min")
	holdDestroyed(t, w, other, "15min")
}
