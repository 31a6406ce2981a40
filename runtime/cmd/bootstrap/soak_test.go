package main_test

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

const (
	// soakBuckets are many because a run that is killed keeps its bucket for a minute.
	soakBuckets = 12
	soakDates   = 12
	soakSlots   = 3
	soakClerks  = 6
	// soakKill is the time between two crashes.
	soakKill = 6 * time.Second
	// soakPatience is for the end: the hold of a run that was killed, its leases, and
	// two passes of the audit.
	soakPatience = 5 * time.Minute
)

// soak is a platform under load: bookings, and runs that overlap, crash and meet
// throttling.
type soak struct {
	t     *testing.T
	db    *dynamodb.Client
	store *dynamo.Store
	dates []signal.ProductDate
	// began and lasts are when the load does.
	began time.Time
	lasts time.Duration
}

// soakMinutes is how long the load lasts; SOAK_MINUTES says otherwise.
func soakMinutes(t *testing.T) time.Duration {
	t.Helper()
	v := os.Getenv("SOAK_MINUTES")
	if v == "" {
		return 30 * time.Second
	}
	minutes, err := strconv.ParseFloat(v, 64)
	if err != nil || minutes < 0.5 || minutes > 600 {
		t.Fatalf("SOAK_MINUTES is %q: expected minutes from 0.5 to 600", v)
	}
	return time.Duration(minutes * float64(time.Minute))
}

// passed is the part of the load's time that is over.
func (s *soak) passed() float64 { return float64(time.Since(s.began)) / float64(s.lasts) }

func (s *soak) over() bool { return s.passed() >= 1 }

// product is the one whose dates are in a bucket. Of the first nothing is ever given
// back, so that its values may only fall.
func soakProduct(bucket int) signal.Product {
	return signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: strconv.Itoa(bucket)}
}

func onlySold(d signal.ProductDate) bool { return d.ProductID == "0" }

// audited is whether the audit looks at a product. Where it does, flips are forgotten;
// where it does not, there is nothing that would mend a change that was lost.
func audited(p signal.Product) bool { return number(p.ProductID)%2 == 1 }

// quiet is whether a date is booked once only, and that without a flip.
func quiet(d signal.ProductDate) bool { return audited(d.Product) && d.Date.Day == 6 }

func soakBucket(n int) string { return fmt.Sprintf("soak-%d", n) }

func newSoak(t *testing.T) *soak {
	t.Helper()
	db := awstest.DynamoDB(t)
	s := &soak{t: t, db: db, store: dynamo.NewStore(db, awstest.Table(t, db, awstest.Included)), lasts: soakMinutes(t)}
	for n := range soakBuckets {
		checks := signal.DefaultChecks()
		// As short as they may be.
		checks.Lease, checks.MaxStaleness = 30*time.Second, 0
		if audited(soakProduct(n)) {
			checks.MaxStaleness = time.Minute
		}
		err := dynamo.NewRegistry(s.store).Create(t.Context(), signal.Bucket{
			Name: soakBucket(n), Cadence: signal.Cadence{Minutes: 1}, Shards: 1 + n%4, Enabled: true, Checks: checks, GlobalID: rand.Text(),
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range soakDates {
			d := signal.ProductDate{Product: soakProduct(n), Date: signal.Date{Year: 2027, Month: time.July, Day: 1}.AddDays(i)}
			stock := int64(30)
			if onlySold(d) {
				stock = 1_000_000
			}
			putItem(t, s.store, poolKey(d), signal.Item{"capacity": signal.N(2 * stock), "availability": signal.N(stock)})
			pattern := signal.Pattern{Mode: signal.Exact}
			if n%3 == 2 {
				pattern = signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}
			}
			awstest.Seed(t, s.store, d, soakBucket(n), pattern)
			s.dates = append(s.dates, d)
		}
	}
	return s
}

// truth is what a signal must show: what its pools say, by its own pattern.
func (s *soak) truth(d signal.ProductDate, item signal.Item) string {
	s.t.Helper()
	e, err := source.NewPool(s.store).Estimate(s.t.Context(), d)
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := signal.ParsePattern(item[signal.AttrPattern])
	if err != nil {
		s.t.Fatal(err)
	}
	value, _ := p.Cache(e)
	return value
}

// TestSoak is a while of everything at once. In the end each value is the truth, no
// invariant was broken, and the reports and metrics add up.
func TestSoak(t *testing.T) {
	s := newSoak(t)
	watch := newSoakWatch(s)
	sums := &soakSums{}
	chaos := &chaos{soak: s}
	writers := newSoakWriters(s)
	bootstrap := build(t)
	ending := s.prepareEndings()

	s.began = time.Now()
	var load, watching sync.WaitGroup
	stop := make(chan struct{})
	watching.Go(func() { watch.follow(stop) })
	for n := range soakClerks {
		load.Go(func() { writers.book(mathrand.New(mathrand.NewPCG(7, uint64(n)))) })
	}
	slots := make([]*slot, soakSlots)
	for n := range slots {
		slots[n] = newSlot(s, bootstrap, chaos, writers, sums, uint64(n))
		load.Go(slots[n].serve)
	}
	ending.begin(watch)
	writers.forget()
	load.Wait()

	// Each date is booked once more, in the midst of its check; then nobody books any
	// more, and nothing fails: what is left is found.
	chaos.calm()
	writers.lastCall()
	wrong := s.drain(slots[0])
	close(stop)
	watching.Wait()
	for _, fault := range append(wrong, watch.faults...) {
		t.Error(fault)
	}
	for _, slot := range slots {
		slot.end()
	}
	sums.check(t)
	t.Logf("load of %s, %s in all, %d signals", s.lasts, time.Since(s.began).Round(time.Second), len(s.dates))
	t.Logf("bookings: %s", writers)
	t.Logf("runs: %s", sums)
	t.Logf("network: %s", chaos)
	t.Logf("watched: %s", watch)
	for name, n := range map[string]int64{
		"crashes": sums.crashed, "runs that found their bucket taken": sums.held, "throttled requests": chaos.throttled.Load(),
		"lost answers": chaos.lost.Load(), "values seen to change": int64(watch.changes), "cleaned": sums.total.Cleaned, "raced": sums.total.Raced,
		"bookings without a flip": writers.forgotten.Load(), "bookings in the midst of a check": writers.raced.Load(), "audit mismatches": sums.total.Mismatched,
	} {
		if n == 0 {
			t.Errorf("no %s: this soak has shown nothing", name)
		}
	}
}
