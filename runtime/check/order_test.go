package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// However many wait in one shard, the one that has been dirty for longest is first.
func TestRun_oldestFirstOfVeryMany(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		const n = 1<<14 + 300
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		age := map[signal.Date]int{}
		ages := rand.New(rand.NewPCG(1, 2)).Perm(n - 1)
		// The oldest is the last to be listed.
		for i, of := range append(ages, n-1) {
			d := first.AddDays(i)
			w.seed(d.String(), dirtyFor(time.Duration(of)*time.Second))
			age[d] = of
		}
		w.takes(time.Second)
		w.runFor(5 * time.Minute)
		for i, d := range w.asked {
			if age[d.Date] != n-1-i {
				t.Fatalf("the %dth to be checked was dirty for %d s, want %d s", i+1, age[d.Date], n-1-i)
			}
		}
		if len(w.asked) < 200 {
			t.Errorf("%d were checked", len(w.asked))
		}
	})
}

// Claims that are turned down beside others that get through are these signals' own
// fault: the order stays.
func TestRun_orderStaysWhereSomeAreTurnedDown(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.runner.Random = func() float64 { return 0.99 }
		keys := w.seedMany(30)
		w.turnsDown(keys[1:15], dynamo.ErrRejected)
		w.run()
		want := slices.Concat(keys[:1], keys[15:])
		for i, d := range w.asked {
			if d.Key() != want[i] {
				t.Fatalf("the %dth to be checked was %s, want %s", i+1, d, want[i])
			}
		}
	})
}

// A claim that is granted in the end shows that the table works, however late.
func TestRun_claimGrantedLateIsNoFailure(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 2
		keys := w.seedMany(41)
		w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
			switch {
			case write.Op == protocol.OpClaim && write.Key == keys[0]:
				time.Sleep(time.Second)
			case write.Op == protocol.OpClaim:
				return nil, dynamo.ErrRejected
			}
			return do()
		}
		w.wantCounts(w.run(), check.Counts{Seen: 41, Due: 41, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1, Failed: 40})
	})
}

// Once a probe has been answered, the next is the oldest again.
func TestRun_goesOnInOrderAfterAProbe(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.runner.Random = func() float64 { return 0.99 }
		keys := w.seedMany(30)
		w.failsFor("2026-07-11")
		w.run()
		want := slices.Concat(keys[:10], keys[29:], keys[10:29])
		for i, d := range w.asked {
			if d.Key() != want[i] {
				t.Fatalf("the %dth to be checked was %s, want %s", i+1, d, want[i])
			}
		}
	})
}

// Probes are no faster than the write budget, and end with the time that there is.
func TestRun_probesWithinTheirBounds(t *testing.T) {
	gone := "the source fails for every signal that was probed, too: the run ends, and leaves the rest to the next"
	t.Run("budget", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
			w.seedMany(100)
			w.estimate = failing(errDown)
			// Two units to begin with, two a second, one for each that is put off.
			if report := w.run(); report.BackedOff != 20 || report.DurationMS != 9500 {
				t.Errorf("report: %+v", report)
			}
		})
	})
	t.Run("not probes alone", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
			w.seedMany(100)
			// One a second, until three quarters of the invocation are over.
			if report := w.runFor(10_200 * time.Millisecond); report.Cleaned != 8 || report.DurationMS != 7650 {
				t.Errorf("report: %+v", report)
			}
		})
	})
	t.Run("waiting for the budget when time is up", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
			w.seedMany(100)
			w.estimate = failing(errDown)
			if report := w.runFor(10_200 * time.Millisecond); report.DurationMS > 7650 || len(w.logged(gone)) != 0 {
				t.Errorf("report: %+v", report)
			}
		})
	})
	t.Run("time", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency = 1
			w.seedMany(100)
			w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
				time.Sleep(2 * time.Second)
				return signal.Estimate{}, errDown
			}
			// The source may be read for 25 s: ten in a row, and two probes, which
			// are too few to say anything.
			report := w.runFor(30 * time.Second)
			w.wantCounts(report, check.Counts{Seen: 100, Due: 100, Claimed: 12, BackedOff: 12, Remaining: 88})
			if len(w.logged(gone)) != 0 {
				t.Error("the source was taken to be gone")
			}
		})
	})
}

// A slow check is remembered for half a minute at least, and for a minute at most.
func TestRun_remembersASlowCheck(t *testing.T) {
	for name, test := range map[string]struct {
		// from is when the slow check begins, and takes how long it takes.
		from, takes time.Duration
		// readable is for how long the source may be read; ends is when the last
		// check has ended that might have been through in time.
		readable, ends time.Duration
	}{
		"at the end of a window":           {40 * time.Second, 18 * time.Second, 85 * time.Second, 67 * time.Second},
		"that ends with a window":          {12 * time.Second, 18 * time.Second, 85 * time.Second, 67 * time.Second},
		"longer than a window":             {time.Second, 59 * time.Second, 170 * time.Second, 111 * time.Second},
		"that ends in the window after it": {55 * time.Second, 20 * time.Second, 115 * time.Second, 95 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency = 1
				w.seedMany(200)
				began, slow := time.Now(), true
				w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
					took := time.Second
					if slow && time.Since(began) >= test.from {
						slow, took = false, test.takes
					}
					time.Sleep(took)
					return signal.Estimate{Available: 7, Capacity: 10}, nil
				}
				report := w.runFor(test.readable + 5*time.Second)
				if got := time.Duration(report.DurationMS) * time.Millisecond; got != test.ends {
					t.Errorf("the last check ended after %s, want %s", got, test.ends)
				}
			})
		})
	}
}

// An audit that takes longer than a minute is remembered from its end.
func TestAudit_remembersASlowOne(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedClean(2)
		w.takes(65 * time.Second)
		// The source may be read for 100 s.
		w.runFor(105 * time.Second)
		if len(w.asked) != 1 {
			t.Errorf("%d were begun, want the one that ends in time", len(w.asked))
		}
	})
}

// What was slow more than a minute ago is forgotten, though nothing has ended since.
func TestAudit_forgetsOldSlowness(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.seed("2027-07-01")
		w.seedClean(1)
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			if d.Date.Year == 2027 {
				time.Sleep(20 * time.Second)
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		slept := false
		w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
			if q.Equals == signal.Clean && !slept {
				slept = true
				time.Sleep(70 * time.Second)
			}
			return nil
		}
		// The source may be read for 100 s, 90 of which are over then.
		if report := w.runFor(105 * time.Second); report.Cleaned != 1 || report.Audited == 0 {
			t.Errorf("report: %+v", report)
		}
	})
}

// An answer is an answer, though it comes after the cut-off.
func TestRun_answerAfterTheCutOff(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01")
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			time.Sleep(w.bucket.Checks.Lease - 5*time.Second)
			return signal.Estimate{Available: 3, Capacity: 10}, nil
		}
		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
		if w.value(key) != "3" {
			t.Errorf("value %q", w.value(key))
		}
	})
}

// So is one that blames the signal.
func TestRun_faultAfterTheCutOff(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			time.Sleep(w.bucket.Checks.Lease - 5*time.Second)
			return signal.Estimate{}, &source.ItemError{Item: "pool", Reason: "broken"}
		}
		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Failed: 1})
	})
}

// Three seconds, to the second, are time enough for an answer, and half of the time where
// that is less.
func TestRun_hangsForExactlyItsPatience(t *testing.T) {
	putOff, released := check.Counts{Seen: 1, Due: 1, Claimed: 1, BackedOff: 1}, check.Counts{Seen: 1, Due: 1, Claimed: 1, Released: 1}
	for _, test := range []struct {
		invocation, asked time.Duration
		want              check.Counts
		says              string
	}{
		// The source may be read for 35 s, and for three.
		{40 * time.Second, 32 * time.Second, putOff, "no answer for 3s, until"},
		{40 * time.Second, 32*time.Second + time.Millisecond, released, ""},
		{4 * time.Second, 1500 * time.Millisecond, putOff, "no answer for 1.5s, until"},
		{4 * time.Second, 1501 * time.Millisecond, released, ""},
	} {
		t.Run(fmt.Sprintf("%s of %s", test.asked, test.invocation), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.seed("2026-07-01")
				w.takes(time.Hour)
				w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
					time.Sleep(test.asked)
					return do()
				})
				report := w.runFor(test.invocation)
				w.wantCounts(report, test.want)
				if !strings.HasPrefix(report.SourceError, test.says) || test.says == "" && report.SourceError != "" {
					t.Errorf("source error %q, want %q", report.SourceError, test.says)
				}
			})
		})
	}
}

func TestRun_throttledSource(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.estimate = failing(fmt.Errorf("read pool: %w", dynamo.ErrThrottled))
		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, BackedOff: 1, Throttles: 1})
	})
}
