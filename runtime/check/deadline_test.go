package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// takes makes every read of the source take that long, or end with its context.
func (w *world) takes(d time.Duration) {
	w.estimate = func(ctx context.Context, _ signal.ProductDate) (signal.Estimate, error) {
		select {
		case <-time.After(d):
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		case <-ctx.Done():
			return signal.Estimate{}, ctx.Err()
		}
	}
}

func (w *world) seedMany(n int) []signal.Key {
	first := signal.Date{Year: 2026, Month: time.July, Day: 1}
	keys := make([]signal.Key, n)
	for i := range keys {
		keys[i] = w.seed(first.AddDays(i).String(), dirtyFor(time.Duration(n-i)*time.Second))
	}
	return keys
}

func TestRun_stopsClaimingInTime(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		keys := w.seedMany(100)
		w.takes(4 * time.Second)
		// 60 s less a margin of 5: the last check that can be through begins at 48.
		report := w.runFor(time.Minute)
		w.wantCounts(report, check.Counts{Seen: 100, Due: 100, Claimed: 13, Computed: 13, Changed: 13, Cleaned: 13, Remaining: 87})
		for i, k := range keys {
			if want := map[bool]string{true: signal.Clean, false: signal.Dirty}[i < 13]; w.bit(k) != want || !w.free(k) {
				t.Errorf("%s is %s, free %v; want %s and free", k, w.bit(k), w.free(k), want)
			}
		}
		if item := w.table.item(signal.RunKey("5min")); !item[protocol.AttrReport].Exists() {
			t.Error("the run item has no report")
		}
		// The next run goes on where this one stopped.
		if report := w.run(); report.Cleaned != 87 {
			t.Errorf("next run: %+v", report)
		}
	})
}

// It was slow a moment ago, so it may be again.
func TestRun_mindsTheSlowestRecentCheck(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedMany(400)
		slow := true
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if slow {
				slow = false
				time.Sleep(20 * time.Second)
			}
			time.Sleep(100 * time.Millisecond)
			return signal.Estimate{}, nil
		}
		report := w.runFor(time.Minute)
		if report.DurationMS < 34_800 || report.DurationMS > 35_000 || report.Released != 0 {
			t.Errorf("want no claim later than 20 s before the margin of 5: %+v", report)
		}
	})
}

func TestRun_forgetsOldSlowness(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedMany(2000)
		slow := true
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if slow {
				slow = false
				time.Sleep(20 * time.Second)
			}
			time.Sleep(100 * time.Millisecond)
			return signal.Estimate{}, nil
		}
		report := w.runFor(2 * time.Minute)
		if report.DurationMS < 114_000 {
			t.Errorf("it stopped after %d ms for a slow check at the beginning", report.DurationMS)
		}
	})
}

func TestRun_givesBackWhatItCannotCompute(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 4
		keys := w.seedMany(10)
		w.takes(time.Hour)
		// Claimed too late for the source to have had time enough.
		w.on(protocol.OpClaim, always, func(do func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(33 * time.Second)
			return do()
		})
		report := w.runFor(40 * time.Second)
		w.wantCounts(report, check.Counts{Seen: 10, Due: 10, Claimed: 4, Released: 4, Remaining: 6})
		if report.DurationMS != 35_000 {
			t.Errorf("it took %d ms, want 35 s of the 40", report.DurationMS)
		}
		for _, k := range keys {
			if item := w.table.item(k); !w.free(k) || w.bit(k) != signal.Dirty || item[signal.AttrAttempts].Exists() || item[signal.AttrNotBefore].Exists() {
				t.Errorf("want it dirty, free and due: %v", item)
			}
		}
	})
}

// The oldest would otherwise hang in every run, and nobody else be reached.
func TestRun_putsOffWhatHangsUntilTheInvocationEnds(t *testing.T) {
	for _, invocation := range []time.Duration{3 * time.Second, 40 * time.Second} {
		t.Run(invocation.String(), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency = 4
				keys := w.seedMany(10)
				w.estimate = func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
					if d.Date.Day <= 4 {
						<-ctx.Done()
						return signal.Estimate{}, ctx.Err()
					}
					return signal.Estimate{Available: 7, Capacity: 10}, nil
				}
				report := w.runFor(invocation)
				w.wantCounts(report, check.Counts{Seen: 10, Due: 10, Claimed: 4, BackedOff: 4, Remaining: 6})
				lines := w.logged("source failed")
				if len(lines) != 1 || lines[0]["key"] == nil || lines[0]["reason"] != report.SourceError || !strings.Contains(report.SourceError, "until the invocation ended") {
					t.Errorf("source error %q, log %v", report.SourceError, lines)
				}
				for _, k := range keys[:4] {
					if item := w.table.item(k); !w.free(k) || item[signal.AttrAttempts].Exists() || w.putOff(k) < 5*time.Minute {
						t.Errorf("want it free, put off and not blamed: %v", item)
					}
				}
				w.wantCounts(w.runFor(invocation), check.Counts{Seen: 10, NotDue: 4, Due: 6, Claimed: 6, Computed: 6, Changed: 6, Cleaned: 6})
			})
		})
	}
}

func TestAudit_passesWhatHangsUntilTheInvocationEnds(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.MaxStaleness = w.bucket.Cadence.Duration()
		w.bucket.Checks.Concurrency = 1
		w.seed("2026-07-01", clean)
		w.seed("2026-07-02", clean)
		w.estimate = func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
			if d.Date.Day == 1 {
				<-ctx.Done()
				return signal.Estimate{}, ctx.Err()
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.wantCounts(w.runFor(40*time.Second), check.Counts{AuditFailed: 1})
		w.wantCounts(w.runFor(40*time.Second), check.Counts{Audited: 1})
	})
}

// Lambda's default of three seconds must do some good, too.
func TestRun_inAShortInvocation(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedMany(100)
		w.takes(100 * time.Millisecond)
		report := w.runFor(3 * time.Second)
		if report.Cleaned < 20 || report.Released != 0 || report.DurationMS > 2250 {
			t.Errorf("report: %+v", report)
		}
	})
}

func TestRun_claimAnsweredTooLate(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01")
		w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(56 * time.Second)
			return do()
		})
		w.wantCounts(w.runFor(time.Minute), check.Counts{Seen: 1, Due: 1, Claimed: 1, Released: 1})
		if len(w.asked) != 0 || !w.free(key) {
			t.Error("want it given back without asking the source")
		}
	})
}

func TestRun_cutsACheckOffBeforeItsLeaseEnds(t *testing.T) {
	for _, test := range []struct{ lease, want time.Duration }{
		{120 * time.Second, 110 * time.Second},
		{30 * time.Second, 20 * time.Second},
		// Never so early that nothing can be checked.
		{12 * time.Second, 6 * time.Second},
	} {
		t.Run(test.lease.String(), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Lease = test.lease
				key := w.seed("2026-07-01")
				w.takes(time.Hour)
				// The lease counts from when the claim was sent.
				w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
					time.Sleep(5 * time.Second)
					return do()
				})
				report := w.runFor(15 * time.Minute)
				w.wantCounts(report, check.Counts{Seen: 1, Due: 1, Claimed: 1, BackedOff: 1})
				if got := time.Duration(report.DurationMS) * time.Millisecond; got != test.want {
					t.Errorf("cut off after %s, want %s", got, test.want)
				}
				if !strings.HasPrefix(report.SourceError, fmt.Sprintf("cut off %s after the claim", test.want)) || !w.free(key) {
					t.Errorf("source error: %s", report.SourceError)
				}
			})
		})
	}
}

func TestRun_cancelled(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 2
		keys := w.seedMany(5)
		w.takes(time.Hour)
		ctx, cancel := context.WithCancel(w.Context())
		time.AfterFunc(time.Second, cancel)
		report, err := w.tryRun(ctx)
		if err != nil {
			t.Fatal(err)
		}
		w.wantCounts(report, check.Counts{Seen: 5, Due: 5, Claimed: 2, Released: 2, Remaining: 3})
		for _, k := range keys {
			if !w.free(k) {
				t.Errorf("%s is still claimed", k)
			}
		}
	})
}

// What a source says for want of time is no error of its.
func TestRun_sourceErrorAtTheEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.on(protocol.OpClaim, always, func(do func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(24 * time.Second)
			return do()
		})
		w.estimate = func(ctx context.Context, _ signal.ProductDate) (signal.Estimate, error) {
			<-ctx.Done()
			return signal.Estimate{}, errors.New("gave up")
		}
		report := w.runFor(30 * time.Second)
		w.wantCounts(report, check.Counts{Seen: 1, Due: 1, Claimed: 1, Released: 1})
		if report.SourceError != "" {
			t.Errorf("source error: %s", report.SourceError)
		}
	})
}

// What it says of the signal is, however late it comes.
func TestRun_faultAtTheEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.estimate = func(ctx context.Context, _ signal.ProductDate) (signal.Estimate, error) {
			<-ctx.Done()
			return signal.Estimate{}, &source.ItemError{Item: "pool", Reason: "broken"}
		}
		w.wantCounts(w.runFor(30*time.Second), check.Counts{Seen: 1, Due: 1, Claimed: 1, Failed: 1})
	})
}
