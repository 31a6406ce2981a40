package cadencebucket_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// The rule has the provider's default tags, unless the bucket sets them otherwise.
func TestBucket_defaultTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := acctest.NewDriver(t, typeName, acctest.Config{"default_tags": acctest.Config{"team": "platform", "stage": "test"}})
	own := func(more map[string]string) map[string]string {
		tags := map[string]string{"availability:bucket": w.table + "/5min", "availability:managed-by": "terraform"}
		for key, value := range more {
			tags[key] = value
		}
		return tags
	}
	hold := func(config acctest.Config, all map[string]string) {
		t.Helper()
		holdPlan(t, d, config, acctest.NoOp)
		if diff := cmp.Diff(own(all), w.describe(w.rule("5min")).Tags); diff != "" {
			t.Errorf("the rule's tags (-want +got):\n%s", diff)
		}
		want := map[string]any{}
		for key, value := range all {
			want[key] = value
		}
		if diff := cmp.Diff(want, d.State()["tags_all"]); diff != "" {
			t.Errorf("tags_all (-want +got):\n%s", diff)
		}
	}
	plain, tagged := bucketConfig(w, "5min", nil), bucketConfig(w, "5min", acctest.Config{"tags": acctest.Config{"team": "reservations", "a": ""}})
	planned := holdPlan(t, d, plain, acctest.Create)
	if diff := cmp.Diff(map[string]any{"team": "platform", "stage": "test"}, planned["tags_all"]); diff != "" {
		t.Errorf("planned tags_all (-want +got):\n%s", diff)
	}
	holdApplied(t, d, plain)
	hold(plain, map[string]string{"team": "platform", "stage": "test"})
	holdApplied(t, d, tagged)
	hold(tagged, map[string]string{"team": "reservations", "stage": "test", "a": ""})

	// An import tells the bucket's own tags from the default ones.
	for _, config := range []acctest.Config{tagged, plain} {
		holdApplied(t, d, config)
		d.Forget()
		if errs := d.Import(w.table + "/5min"); len(errs) > 0 {
			t.Fatal(errs)
		}
		holdPlan(t, d, config, acctest.NoOp)
	}

	// A change of the defaults shows in each bucket, and is applied in place.
	if errs := d.Configure(acctest.Config{"default_tags": acctest.Config{"stage": "live"}}); len(errs) > 0 {
		t.Fatal(errs)
	}
	holdPlan(t, d, plain, acctest.Update)
	holdApplied(t, d, plain)
	hold(plain, map[string]string{"stage": "live"})
	if errs := d.Configure(acctest.Config{"default_tags": acctest.Unknown{}}); len(errs) > 0 {
		t.Fatal(errs)
	}
	if planned := holdPlan(t, d, plain, acctest.Update); planned["tags_all"] != any(acctest.Unknown{}) {
		t.Errorf("with unknown defaults, tags_all is %v", planned["tags_all"])
	}
	if errs := d.Configure(nil); len(errs) > 0 {
		t.Fatal(errs)
	}
	holdApplied(t, d, plain)
	hold(plain, nil)
	holdDestroyed(t, w, d, "5min")
}

// All tags together are limited.
func TestBucket_tooManyTags(t *testing.T) {
	t.Parallel()
	many := func(prefix string, n int) acctest.Config {
		tags := acctest.Config{}
		for i := range n {
			tags[fmt.Sprint(prefix, i)] = "x"
		}
		return tags
	}
	d := acctest.NewDriver(t, typeName, acctest.Config{"default_tags": many("default", 25)})
	_, _, errs := d.Plan(bucketConfig(world{table: "reservations"}, "5min", acctest.Config{"tags": many("own", 24)}))
	holdErrors(t, errs, "tags: Invalid cadence bucket: A rule takes 50 tags, of which 2 are the provider's own; with the provider's default_tags there are 49.")
	holdPlan(t, d, bucketConfig(world{table: "reservations"}, "5min", acctest.Config{"tags": many("own", 23)}), acctest.Create)
}
