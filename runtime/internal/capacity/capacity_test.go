package capacity_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/capacity"
)

// small is a platform whose numbers can be made in the head.
func small() capacity.Platform {
	p := capacity.Example()
	p.Signals, p.Buckets, p.Bookings, p.Views, p.StalenessHours = 1_000_000, 1, 1, 0, 0
	return p
}

func about(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.01*math.Abs(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestDirty_isEachSignalOnce(t *testing.T) {
	p := small()
	// So few bookings hardly ever meet.
	about(t, "dirty of 300 bookings on a million", p.Dirty(), 300)
	// So many leave none out.
	p.Bookings, p.Active = 1000, 50
	about(t, "dirty of 300,000 bookings on fifty", p.Dirty(), 50)
	// As many as there are signals: all but one in e.
	p.Bookings, p.Active = 1, 300
	about(t, "dirty of 300 bookings on 300", p.Dirty(), 300*(1-1/math.E))
}

func TestLoads_bookingASecond(t *testing.T) {
	p := small()
	units := capacity.Total(p.Loads())
	// A flip and a check are 3 and 4 write units; the run item is two in 300 s.
	about(t, "write units", units.Write, 7+2/300.0)
	// A flip and the source are a read each; sixteen queries and the registry are
	// nine in 300 s, and an entry of 145 bytes is a part of a query's unit.
	about(t, "read units", units.Read, 2+9/300.0+145/8192.0)

	p.Active, p.Bookings = 1, 100
	units = capacity.Total(p.Loads())
	// However many fall on one signal: it is dirty once in a tick.
	about(t, "write units of a hot signal", units.Write, (7+2)/300.0)

	p.Way = capacity.Blind
	about(t, "write units of a hot signal, flipped blindly", capacity.Total(p.Loads()).Write, 100+(6+2)/300.0)
	p.AllCadence = true
	about(t, "the same with an index that has all", capacity.Total(p.Loads()).Write, 200+(5+1+2-1)/300.0)
	p.AllGlobalID = true
	about(t, "the same with two of them", capacity.Total(p.Loads()).Write, 300+(5+1+2+2-1)/300.0)
}

func TestLoads_audit(t *testing.T) {
	p := small()
	// A pass takes three quarters of max_staleness.
	p.Bookings, p.StalenessHours = 0, 1_000_000/3600.0/0.75
	// One signal a second is read, compared and dated; 300 in a tick are three pages,
	// after each of which the cursor is written.
	units := capacity.Total(p.Loads())
	about(t, "write units", units.Write, 1+(2+3)/300.0)
	about(t, "read units", units.Read, 2+(9+1)/300.0+2*145/8192.0)
}

func TestLoads_largeItems(t *testing.T) {
	p := small()
	// A write of 2,500 bytes is three units, a strongly consistent read one.
	p.ItemBytes = 2500
	units := capacity.Total(p.Loads())
	about(t, "write units", units.Write, 3*1+2+3*2+2+2/300.0)
	about(t, "read units", units.Read, 2+9/300.0+145/8192.0)
	// In an index that has all, an entry is as large as the item.
	p.AllCadence, p.AllGlobalID = true, true
	about(t, "write units with indexes that have all", capacity.Total(p.Loads()).Write, 3*(3+5+1+2)+2/300.0)
	p.ItemBytes = 5000
	about(t, "read units of 5,000 bytes", capacity.Total(p.Loads()).Read, 2+1+9/300.0+5000/8192.0)
}

// A run that takes long renews its hold of its bucket every fifteen seconds.
func TestLoads_longRun(t *testing.T) {
	p := small()
	p.Active, p.Bookings = 20_000, 1_000_000 // 20,000 at 200 a second
	for _, l := range p.Loads() {
		if l.What == "registry and run items" {
			about(t, "write units of the run item in a tick", l.Write*300, 2+6)
		}
	}
}

func TestDollars_atPublishedPrices(t *testing.T) {
	p, at := small(), capacity.Published()
	p.Bookings, p.Views = 0, 1000
	// Thirty dates of 600 bytes are five half units: 2,500 read units a second.
	views := capacity.Alternative{Showing: capacity.Total(p.Loads())}
	about(t, "a month of views", views.Dollars(at), 2500*2.628*0.125)
	if got := p.StorageDollars(at); got != 0 {
		t.Errorf("storage of a million signals costs %v: 25 GB are free", got)
	}
	p.Signals = 100_000_000
	about(t, "storage of a hundred million", p.StorageDollars(at), (100e6*1235/math.Pow(2, 30)-25)*0.25)
}

func TestShards_whatARunAndTheFlipsNeed(t *testing.T) {
	p := small()
	// 200 finishes a second for half of 300 s are 30,000 checks of a shard.
	p.Active, p.Bookings = 30_000, 1_000_000
	if got := p.Shards(); got != 1 {
		t.Errorf("30,000 checks need %d shards", got)
	}
	p.Active = 30_001
	if got := p.Shards(); got != 2 {
		t.Errorf("30,001 checks need %d shards", got)
	}
	// Blind flips of dirty signals are writes of an index that has all: 400 are
	// left of 1,000 beside 200 finishes of three units.
	p = small()
	p.AllCadence, p.Way, p.Active, p.Bookings = true, capacity.Blind, 1, 399
	if got := p.Shards(); got != 1 {
		t.Errorf("399 flips/s need %d shards", got)
	}
	p.Bookings = 401
	if got := p.Shards(); got != 2 {
		t.Errorf("401 flips/s need %d shards", got)
	}
}

func TestShards_ofWhatIsFarTooMuch(t *testing.T) {
	p := small()
	p.Signals, p.Bookings = 1e12, 1e12
	if got := p.Shards(); got < 1000 {
		t.Errorf("a million million signals in one bucket need %d shards", got)
	}
}

func use(t *testing.T, p capacity.Platform, what string) capacity.Limit {
	t.Helper()
	for _, l := range p.Limits() {
		if strings.HasPrefix(l.What, what) {
			return l
		}
	}
	t.Fatalf("no limit of %q: %+v", what, p.Limits())
	return capacity.Limit{}
}

func TestLimits_inUnits(t *testing.T) {
	p := small()
	p.Signals, p.Bookings, p.Views, p.Buckets = 1_000_000, 1000, 2000, 10
	// 300,000 bookings meet 259,182 of a million signals, which is 864 a second, and
	// the ten runs check 200 a second each.
	about(t, "reads of the table", use(t, p, "read units a second of the table").Use, 1000+10*200+2000*2.5)
	about(t, "writes of the table", use(t, p, "write units a second of the table").Use, 864+2*10*200)
	about(t, "writes of the index", use(t, p, "write units a second of the cadence index").Use, 2*864+2*10*200)
	about(t, "writes of a shard", use(t, p, "write units a second of one shard").Use, (2*864+2*10*200)/10.0)
	// A run with little to do does not fill a second.
	p.Bookings, p.Active = 1, 50
	about(t, "writes of a shard, five checks to a run", use(t, p, "write units a second of one shard").Use, 2*5+2*(50/300.0)/10)
}

func TestLimits_oneHotSignal(t *testing.T) {
	p := small()
	p.Active, p.Bookings = 1, 3500
	// Each flip reads the signal, of whose partition there are 3,000 units a second.
	if l := use(t, p, "units a second of the flips of one signal"); l.Use != 3500 || l.Most != 3000 {
		t.Errorf("flips of one signal: %+v", l)
	}
	p.Way = capacity.Blind
	if l := use(t, p, "units a second of the flips of one signal"); l.Use != 3500 || l.Most != 1000 {
		t.Errorf("blind flips of one signal: %+v", l)
	}
}

// Where the budget leaves flips no room, more buckets would not help.
func TestLimits_budgetOfAWholePartition(t *testing.T) {
	p := small()
	p.WriteBudget = 500
	if l := use(t, p, "shards of a bucket"); l.Share() <= 1 || !strings.HasPrefix(l.Then, "a lower write budget") {
		t.Errorf("shards at a budget of 500: %+v", l)
	}
}

func TestHeadroom_namesWhatIsReachedNext(t *testing.T) {
	p := capacity.Example()
	p.Views = 1000
	times, first := p.Headroom()
	if times <= 1 {
		t.Fatalf("%v times, %+v", times, first)
	}
	if at := use(t, scaled(p, times*0.99), first.What); at.Share() > 1 {
		t.Errorf("it is reached before %v times: %+v", times, at)
	}
	if at := scaled(p, times*1.01).Limits()[0]; at.Share() <= 1 || at.What != first.What {
		t.Errorf("at more than %v times, %q is at %v, want %q over", times, at.What, at.Share(), first.What)
	}
	if got := p.Verdict(); len(got) != 1 || !strings.HasPrefix(got[0], "First to be reached, at ") {
		t.Errorf("verdict %q", got)
	}
}

// What is reached already is said, each with what to do, and what comes next as well.
func TestVerdict_reachedAlready(t *testing.T) {
	p := small()
	p.Bookings, p.Views = 100, 20_000 // of 2.5 units each, where 40,000 are allowed
	verdict := p.Verdict()
	if len(verdict) != 2 || !strings.HasPrefix(verdict[0], "Reached already, 126 % of it needed: read units a second of the table") || !strings.HasPrefix(verdict[1], "Next to be reached, at ") {
		t.Errorf("verdict %q", verdict)
	}
	p.Views, p.Bookings = 0, 0
	if got := p.Verdict(); len(got) != 1 || got[0] != "Nothing is reached at 1,000 times this load." {
		t.Errorf("verdict of a platform at rest %q", got)
	}
}

func scaled(p capacity.Platform, k float64) capacity.Platform {
	p.Bookings, p.Signals, p.Active, p.Views = p.Bookings*k, p.Signals*k, p.Active*k, p.Views*k
	return p
}

func TestAlternatives_inUnits(t *testing.T) {
	p := small()
	p.Bookings, p.Views, p.Dates = 10, 100, 30
	got := map[string]capacity.Units{}
	for _, a := range p.Alternatives(capacity.Published())[1:] {
		got[a.What] = capacity.Units{Read: math.Round(a.Booking.Read + a.Showing.Read), Write: math.Round(a.Booking.Write + a.Showing.Write)}
	}
	// 100 views of 30 dates are 250 units, or 1,500 where each date is asked for.
	// In 300 s they meet 900,000 times any of a million signals, which are 593,430.
	want := map[string]capacity.Units{
		"a live sum of the pools":                         {Read: 1500},
		"a total on the ProductDate, kept by the booking": {Read: 250, Write: 20},
		"a cache that expires after a cadence":            {Read: 250 + 1978, Write: 1978},
		"the stream alone: recompute at every change":     {Read: 260, Write: 10},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1)); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*capacity.Platform){
		"signals is 0: it must be 1 or more":                  func(p *capacity.Platform) { p.Signals = 0 },
		"bookings is -1: it must be 0 or more":                func(p *capacity.Platform) { p.Bookings = -1 },
		"active is 10,000,001, and there are 10,000,000":      func(p *capacity.Platform) { p.Active = p.Signals + 1 },
		`flip is "never"`:                                     func(p *capacity.Platform) { p.Way = "never" },
		"cadence is NaN: it must be 1 or more":                func(p *capacity.Platform) { p.CadenceMinutes = math.NaN() },
		"views is +Inf: it must be 0 or more, and at most 1,": func(p *capacity.Platform) { p.Views = math.Inf(1) },
	} {
		p := capacity.Example()
		change(&p)
		if err := p.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	p := capacity.Example()
	p.Signals = -5 // One fault, and nothing of active, which nobody has set.
	if err := p.Validate(); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("of -5 signals: %v", err)
	}
	if err := capacity.Example().Validate(); err != nil {
		t.Error(err)
	}
}

func TestPrint_hasAllParts(t *testing.T) {
	var out bytes.Buffer
	if err := capacity.Example().Print(&out, capacity.Published()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1,392,920", "calendar views", "metrics", "Next to be reached", "a live sum of the pools", "73 %"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}

// What is advised can be done: no bucket has more shards than the most.
func TestLimits_adviseWhatHelps(t *testing.T) {
	const rest = "more buckets: what is not reached is the next run's"
	for want, change := range map[string]func(*capacity.Platform){
		"more concurrency, or " + rest:      func(p *capacity.Platform) { p.CheckMS, p.Concurrency = 1000, 1 },
		"a higher write budget, or " + rest: func(p *capacity.Platform) { p.WriteBudget = 1 },
		"more shards, or " + rest:           func(p *capacity.Platform) { p.CadenceMinutes, p.Concurrency = 60, 1000 },
		rest:                                func(p *capacity.Platform) { p.Buckets, p.Concurrency = 1, 1000 },
	} {
		p := capacity.Example()
		change(&p)
		for _, l := range p.Limits() {
			if strings.HasPrefix(l.What, "a run's time") && l.Then != want {
				t.Errorf("%s: %q, want %q", l.What, l.Then, want)
			}
		}
	}
	p := capacity.Example()
	p.WriteBudget = 1
	for _, l := range p.Limits() {
		if want := "a higher write budget, more buckets, or a longer cadence"; l.What == "shards of a bucket" && l.Then != want {
			t.Errorf("%s: %q, want %q", l.What, l.Then, want)
		}
	}
}
