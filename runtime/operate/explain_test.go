package operate_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func ms(t time.Time) signal.Value { return signal.N(t.UnixMilli()) }

func TestExplain_verdicts(t *testing.T) {
	t.Parallel()
	set := func(changes ...func(signal.Item)) func(signal.Item) {
		return func(i signal.Item) {
			for _, c := range changes {
				c(i)
			}
		}
	}
	attr := func(name string, v signal.Value) func(signal.Item) { return func(i signal.Item) { i[name] = v } }
	for name, tt := range map[string]struct {
		seed  func(signal.Item)
		setup func(*world)
		shows string
		want  operate.Verdict
		says  string
		due   string
		finds bool
	}{
		"right":                   {want: operate.Right, says: "the value medium is right, as of now"},
		"right, and shown so":     {shows: "medium", want: operate.Right, says: "the value medium is right, as of now"},
		"another value was shown": {shows: "low", want: operate.LookAtReader, says: "the value medium is right, and low was shown", finds: true},
		"dirty":                   {seed: dirty, want: operate.Dirty, says: "a change of 2026-07-01 12:04:00 UTC waits for its check, due about 2026-07-01 12:08:00 UTC", due: "12:08:00"},
		"dirty after failed checks": {
			seed: set(dirty, attr("attempts", signal.N(2)), attr("notBefore", ms(now.Add(-time.Minute)))),
			want: operate.Dirty, says: "due about 2026-07-01 12:08:00 UTC after 2 failed checks in a row; the source answers by now", due: "12:08:00",
		},
		"being checked": {
			seed: set(dirty, attr("claimedBy", signal.S("x")), attr("leaseUntil", ms(now.Add(time.Minute)))),
			want: operate.BeingChecked, says: "a check has it right now, until 2026-07-01 12:06:00 UTC at the latest",
		},
		"backing off": {
			seed:  set(dirty, attr("attempts", signal.N(2)), attr("notBefore", ms(now.Add(9*time.Minute)))),
			setup: func(w *world) { w.fails = errors.New("the ledger is closed") },
			want:  operate.BackingOff, finds: true, due: "12:18:00",
			says: "it backs off after 2 failed checks in a row, until 2026-07-01 12:14:00 UTC; asked now, it says: the ledger is closed",
		},
		"quarantined": {
			seed: set(dirty, attr("attempts", signal.N(8)), attr("notBefore", signal.N(now.Add(5*time.Hour).UnixMilli()+1))),
			setup: func(w *world) {
				w.put(signal.Key{PK: on(5).PoolPK(), SK: "loop"}, signal.Item{"availability": signal.N(1)})
			},
			want: operate.Quarantined, finds: true, due: "17:08:00",
			says: `it is in quarantine after 8 failed checks in a row, and tried every six hours, next about 2026-07-01 17:08:00 UTC; asked now, it says: inventory pool "loop" cannot be counted: its capacity is missing`,
		},
		"settling": {
			seed: set(dirty, attr("settleRev", signal.N(4)), attr("claimedRev", signal.N(4)), attr("notBefore", ms(now.Add(20*time.Second)))),
			want: operate.Settling, says: "it has its new value, and is checked once more about 2026-07-01 12:08:00 UTC, because the source lags", due: "12:08:00",
		},
		"flipped while it settles": {
			seed: set(dirty, attr("settleRev", signal.N(4)), attr("claimedRev", signal.N(4)), attr("rev", signal.N(5)), attr("notBefore", ms(now.Add(20*time.Second)))),
			want: operate.Settling, says: "it has the value of an earlier change, of which the source lags; a later one waits for its check, due about 2026-07-01 12:08:00 UTC", due: "12:08:00",
		},
		"bucket not registered": {
			seed: set(dirty, attr("gsipk", signal.S("cadenceBucket::9min"))),
			want: operate.Unregistered, says: `its bucket "9min" is not registered, so that nobody ever checks it`, finds: true,
		},
		"in no bucket": {
			seed: set(dirty, attr("gsipk", signal.S("5min"))),
			want: operate.Unregistered, says: `its gsipk "5min" is no bucket's, so that nobody ever checks it`, finds: true,
		},
		"bucket disabled": {
			seed: dirty, setup: func(w *world) { w.register("5min", func(b *signal.Bucket) { b.Enabled = false }) },
			want: operate.Disabled, says: `its bucket "5min" is disabled: its rule fires no more`, finds: true,
		},
		"bucket not running": {
			seed: dirty, setup: func(w *world) { w.ran("5min", now.Add(-time.Hour), now.Add(-20*time.Minute)) },
			want: operate.NotRunning, finds: true,
			says: `its bucket "5min" has had no run that came to its end, for more than three cadences: the last one ended 2026-07-01 11:45:01 UTC`,
		},
		"a ttl of another type, and so no end to compare with": {
			seed: set(dirty, attr("ttl", signal.S("2027"))), want: operate.Malformed, says: "its ttl is not of type Number, so that no check can ever claim it", finds: true,
		},
		"a bit that is neither": {
			seed: attr("gsisk", signal.S("DIRTY")), want: operate.Malformed, says: "its gsisk is neither dirty nor clean, so that no run and no audit ever finds it", finds: true,
		},
		"no bit": {
			seed: func(i signal.Item) { delete(i, "gsisk") }, want: operate.Malformed, says: "its gsisk is neither dirty nor clean, so that no run and no audit ever finds it", finds: true,
		},
		"a rev that is no number": {
			seed: set(dirty, attr("rev", signal.S("4")), attr("attempts", signal.N(2)), attr("notBefore", ms(now.Add(time.Hour)))),
			want: operate.Malformed, says: "its rev is not a whole number of type Number, so that no check can ever clean it", finds: true,
		},
		"expired":          {seed: attr("expiry", signal.S("2026-07-01T12:05:00.000Z")), want: operate.Expired, says: "its date is over: it is not checked any more, and has no value to show", finds: true},
		"changed, no flip": {setup: func(w *world) { w.pool(5, 0) }, want: operate.Unflipped, says: "the inventory says full, the signal medium as of 2026-07-01 11:05:00 UTC, and rev is still 3: somebody changed the inventory and did not flip", finds: true},
		"never computed":   {seed: func(i signal.Item) { delete(i, "value") }, want: operate.Valueless, says: "it was seeded clean and has never been computed", finds: true},
		"source fails":     {setup: func(w *world) { w.fails = errors.New("no route") }, want: operate.Unknown, says: "it is clean, and whether its value is right cannot be told: no route", finds: true},
		"no pattern":       {seed: func(i signal.Item) { delete(i, "availabilityEstimationPattern") }, want: operate.Unknown, says: "invalid availability estimation pattern", finds: true},
		"never to be claimed": {
			seed: set(dirty, attr("notBefore", signal.S("soon"))), want: operate.Malformed, says: "its notBefore is not of type Number, so that no check can ever claim it", finds: true,
		},
		"no signal": {seed: attr("schema", signal.S("booking")), want: operate.NoSignal, says: `an item of schema "booking" stands at its key, which is no signal`, finds: true},
		"no schema": {seed: func(i signal.Item) { delete(i, "schema") }, want: operate.NoSignal, says: "an item without a schema stands at its key, which is no signal", finds: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.pool(5, 12)
			w.seed(5, tt.seed)
			if tt.setup != nil {
				tt.setup(w)
			}
			before := w.item(5)
			e := do[*operate.Explanation](w, operate.Task{Task: "explain", Signal: july5, Shows: tt.shows})
			if e.Verdict != tt.want || !strings.Contains(e.Says, tt.says) {
				t.Errorf("verdict %q: %s\nwant    %q: %s", e.Verdict, e.Says, tt.want, tt.says)
			}
			if e.Findings() != tt.finds || e.Findings() != (e.Do != "") {
				t.Errorf("findings %t, want %t; to do: %q", e.Findings(), tt.finds, e.Do)
			}
			due := ""
			if !e.Due.IsZero() {
				due = e.Due.Format(time.TimeOnly)
			}
			if due != tt.due {
				t.Errorf("due %q, want %q", due, tt.due)
			}
			if diff := cmp.Diff(before, w.item(5)); diff != "" {
				t.Errorf("explaining has changed it:\n%s", diff)
			}
		})
	}
}

// "value none" is a date without inventory: what was never computed says so in
// other words, and a bucket that is new is not taken for one that is broken.
func TestExplain_printsWhatHasNotBeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(5, 12)
	w.seed(5, func(i signal.Item) {
		dirty(i)
		delete(i, "value")
		delete(i, "lastUpdatedAt")
		i["gsipk"] = signal.S("cadenceBucket::15min")
	})
	w.register("15min", nil)
	e := do[*operate.Explanation](w, operate.Task{Task: "explain", Signal: july5})
	var b strings.Builder
	if err := e.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{
		"bucket not running: its bucket \"15min\" has had no run that came to its end, ever\n-> a new bucket's first tick comes after one interval",
		"\nsignal     dirty, never computed, rev 4",
		"\nbucket     15min, rate(5 minutes), enabled; no run yet\n",
	} {
		if !strings.Contains(b.String(), says) {
			t.Errorf("does not say %q:\n%s", says, b.String())
		}
	}
}

func TestExplain_missing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := do[*operate.Explanation](w, operate.Task{Task: "explain", Signal: july5})
	if e.Verdict != operate.Missing || !e.Findings() || e.Item != nil {
		t.Errorf("%+v", e)
	}
}

// A flip that comes while the source is asked must not be taken for one that was
// forgotten.
func TestExplain_flippedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(5, 12)
	key := w.seed(5, nil)
	first := true
	w.asked = func() {
		if !first {
			return
		}
		first = false
		w.pool(5, 0)
		if _, err := w.store.Write(t.Context(), protocol.Flip(key, now)); err != nil {
			t.Error(err)
		}
	}
	if e := do[*operate.Explanation](w, operate.Task{Task: "explain", Signal: july5}); e.Verdict != operate.Dirty {
		t.Errorf("verdict %q: %s", e.Verdict, e.Says)
	}
}

func TestExplain_notes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		setup func(*world)
		shows string
		want  string
	}{
		"right, and its bucket is disabled": {
			func(w *world) { w.seed(5, nil); w.register("5min", func(b *signal.Bucket) { b.Enabled = false }) },
			"", `the next change will not be seen: its bucket "5min" is disabled`,
		},
		"the bucket does not keep up": {
			func(w *world) {
				w.seed(5, func(i signal.Item) {
					dirty(i)
					i["dirtySince"] = signal.S(signal.FormatInstant(now.Add(-16 * time.Minute)))
				})
			},
			"", "it has waited for more than three cadences: the bucket does not keep up",
		},
		"the reader is behind, too": {func(w *world) { w.seed(5, dirty) }, "high", "high was shown, and the signal has medium: the reader is behind, too"},
		"a pool at fault": {
			func(w *world) {
				w.seed(5, dirty)
				w.put(signal.Key{PK: on(5).PoolPK(), SK: "meadow"}, signal.Item{"availability": signal.S("3"), "capacity": signal.N(4)})
			},
			"", `inventory pool "meadow" cannot be counted: its availability is not of type Number`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.pool(5, 12)
			tt.setup(w)
			e := do[*operate.Explanation](w, operate.Task{Task: "explain", Signal: july5, Shows: tt.shows})
			if !strings.Contains(strings.Join(e.Notes, "\n"), tt.want) {
				t.Errorf("notes %q do not say %q", e.Notes, tt.want)
			}
		})
	}
}

func TestExplain_print(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(5, 12)
	w.put(signal.Key{PK: on(5).PoolPK(), SK: "meadow"}, signal.Item{"availability": signal.N(3), "capacity": signal.N(4)})
	w.seed(5, func(i signal.Item) {
		dirty(i)
		i["attempts"], i["notBefore"] = signal.N(1), ms(now.Add(-time.Minute))
	})
	want := `mockPark1/backcountryCamp/1/1 2026-07-05
dirty: a change of 2026-07-01 12:04:00 UTC waits for its check, due about 2026-07-01 12:08:00 UTC after a failed check; the source answers by now

signal     dirty, value medium as of 2026-07-01 11:05:00 UTC, rev 4, claimed at 3
dirty      since 2026-07-01 12:04:00 UTC
attempts   1
notBefore  2026-07-01 12:04:00 UTC
expiry     2026-07-06 00:00:00 UTC
seeded by  test, globalId seeded
bucket     5min, rate(5 minutes), enabled; last run began 2026-07-01 12:03:00 UTC, ended 2026-07-01 12:03:01 UTC
inventory  15 of 24 (62.5%): value medium (Medium)
  loop  12 of 20
  meadow  3 of 4
`
	if diff := cmp.Diff(want, printed(w, do[*operate.Explanation](w, operate.Task{Task: "explain", Signal: july5}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where there is no signal, nobody knows in which words its value would be told:
// "none" would be one.
func TestExplain_printsNoValueWithoutASignal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(5, 12)
	for name, line := range map[string]string{
		july5: "\ninventory  12 of 20 (60.0%)\n",
		"mockPark1/backcountryCamp/1/1 2026-07-06": "\ninventory  none at all\n",
	} {
		if text := printed(w, do[*operate.Explanation](w, operate.Task{Task: "explain", Signal: name})); !strings.Contains(text, "\n"+line) {
			t.Errorf("no line %q:\n%s", line, text)
		}
	}
}
