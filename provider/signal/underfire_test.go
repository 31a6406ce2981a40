package signal_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// terms are what an apply under fire changes.
type terms struct {
	shards, concurrency int
	// signal's tiers, and the bucket and dates of the range.
	mode, bucket, last, except string
	// others is whether there are other resources beside them.
	others bool
}

func (c terms) config(provider string) string {
	const key = `
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = %s
  initial_state  = "dirty"
`
	season := func(name, product, bucket, first, last, except string) string {
		return fmt.Sprintf("resource \"availability_signal_range\" %q {\n"+fmt.Sprintf(key, product)+`
  start_date     = %q
  end_date       = %q
  except_dates   = [%s]
  cadence_bucket = availability_cadence_bucket.%s.name
  availability_estimation_pattern = { estimation_mode = "exact" }
}
`, name, first, last, except, bucket)
	}
	single := func(name, product, bucket, date, mode string) string {
		return fmt.Sprintf("resource \"availability_signal\" %q {\n"+fmt.Sprintf(key, product)+`
  date           = %q
  cadence_bucket = availability_cadence_bucket.%s.name
  availability_estimation_pattern = { estimation_mode = %q }
}
`, name, date, bucket, mode)
	}
	bucket := func(name string, minutes int, more string) string {
		return fmt.Sprintf(`resource "availability_cadence_bucket" "in%s" {
  name    = %q
  cadence = { minutes = %d }
  target  = { arn = "arn:aws:lambda:%s:123456789012:function:availability" }
  %s
}
`, name, name, minutes, os.Getenv("AWS_REGION"), more)
	}
	text := fmt.Sprintf(required, "") + provider +
		bucket("5min", 5, fmt.Sprintf("shards = %d\n  checks = { concurrency = %d }", c.shards, c.concurrency)) + bucket("15min", 15, "") +
		single("one", "1", "in5min", "2090-07-01", c.mode) + season("season", "1", c.bucket, "2090-07-02", c.last, c.except)
	if c.others {
		text += bucket("30min", 30, "") + single("other", "2", "in30min", "2090-07-01", "exact") + season("others", "2", "in30min", "2090-07-02", "2090-07-20", "")
	}
	return text
}

func between(product signal.Product, first, last int) (dates []signal.ProductDate) {
	for day := first; day <= last; day++ {
		dates = append(dates, signal.ProductDate{Product: product, Date: july(day)})
	}
	return dates
}

// A hundred bookings a second and checks of all buckets go on all through plans,
// applies and destroys: plans stay empty, and no change is lost.
func TestApplyUnderFire(t *testing.T) {
	t.Parallel()
	f := kindle(t)
	ws := acctest.NewWorkspace(t)
	proxy := acctest.NewFaultProxy(t)
	provider := proxy.Provider(fmt.Sprintf("table_name = %q", f.table), `time_zone = "America/Vancouver"`)
	c := terms{shards: 1, concurrency: 32, mode: "exact", bucket: "in5min", last: "2090-08-09"}
	apply := func(what string) {
		t.Helper()
		ws.Write("main.tf", c.config(provider))
		flipped, cleaned := f.flipped.Load(), f.cleaned.Load()
		// Some see their last booking at the very moment before Terraform writes.
		var once sync.Once
		last := acctest.Before(func() { once.Do(func() { f.lastCall(8) }) })
		proxy.Set(
			acctest.Fault{Operation: "UpdateItem", Effect: last},
			acctest.Fault{Operation: "BatchExecuteStatement", Effect: last},
		)
		if out := ws.Run(0, "apply", "-auto-approve", "-no-color"); strings.Contains(out, "Warning:") {
			t.Errorf("%s warns:\n%s", what, out)
		}
		ws.Run(0, "plan", "-detailed-exitcode", "-no-color")
		// Its exit code says otherwise, with any provider.
		if out := ws.Run(0, "plan", "-refresh-only", "-no-color"); !strings.Contains(out, "No changes.") {
			t.Errorf("after %s a refresh finds:\n%s", what, out)
		}
		if f.stop != nil && (f.flipped.Load() == flipped || f.cleaned.Load() == cleaned) {
			t.Errorf("during %s there were %d flips and %d clean checks", what, f.flipped.Load()-flipped, f.cleaned.Load()-cleaned)
		}
	}
	ws.Write("main.tf", c.config(provider))
	ws.Init()
	apply("the first apply")

	neighbour := camp
	neighbour.ProductID = "2"
	buckets := []string{"5min", "15min", "30min"}
	standing := between(camp, 1, 45)
	f.open(standing...)
	f.burn(buckets...)
	defer f.putOut()

	c.others = true
	apply("the making of others")
	f.open(between(neighbour, 1, 20)...)
	c.shards, c.concurrency = 4, 16
	apply("a change of the bucket")
	c.bucket, c.mode = "in15min", "tiered"
	apply("a move and another pattern")
	c.last, c.except = "2090-08-14", `"2090-07-09", "2090-08-12"`
	apply("other dates")
	c.others = false
	apply("the destroying of others")
	c.shards = 2
	apply("another change of the bucket")
	rate := f.putOut()
	t.Logf("%d flips, %.0f a second, %d clean checks", f.flipped.Load(), rate, f.cleaned.Load())
	// They are kept up with on a machine that has little else to do. One that is very
	// busy, as with all tests at once, serves fewer.
	if rate < bookingsASecond/2 {
		t.Errorf("%.0f flips a second, and not %d", rate, bookingsASecond)
	}

	var seasons []signal.ProductDate
	for _, d := range standing {
		if date := d.Date.String(); date != "2090-07-09" && date != "2090-08-12" {
			seasons = append(seasons, d)
		}
	}
	f.holdNothingLost(func(d signal.ProductDate) signal.Pattern {
		if d.Date == july(1) {
			return signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}
		}
		return signal.Pattern{Mode: signal.Exact}
	}, buckets, seasons)
	for _, d := range between(neighbour, 1, 20) {
		if item, err := f.store.Get(t.Context(), d.Key()); err != nil || item != nil {
			t.Errorf("a destroyed signal is back: %v, %v", item, err)
		}
	}
	ws.Run(0, "destroy", "-auto-approve", "-no-color")
}
