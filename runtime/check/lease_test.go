package check_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// runItem is the bucket's run item.
func (w *world) runItem() signal.Item { return w.table.item(signal.RunKey(w.bucket.Name)) }

// takeOver gives the bucket to another run, as if the one that has it had failed
// to renew that for too long.
func (w *world) takeOver(by string, started time.Time) {
	w.Helper()
	for _, write := range []protocol.Write{
		protocol.ReleaseRun(w.bucket.Name, w.runItem().Text(protocol.AttrRunBy)),
		protocol.TakeRun(w.bucket.Name, by, started),
	} {
		if _, err := w.table.apply(write); err != nil {
			w.Error(err)
		}
	}
}

func TestRun_oneAtATime(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01")
		w.takes(20 * time.Second)
		first := make(chan check.Report)
		w.table.put(w.bucket.Item())
		began := time.Now()
		go func() {
			report, err := w.runner.Run(w.Context(), "5min")
			if err != nil {
				t.Error(err)
			}
			first <- report
		}()
		time.Sleep(10 * time.Second)
		until := began.Add(60 * time.Second)
		second := w.run()
		w.wantCounts(second, check.Counts{})
		if !second.HeldUntil.Equal(until) {
			t.Errorf("held until %s, want %s", second.HeldUntil, until)
		}
		if report := <-first; report.Cleaned != 1 || !report.HeldUntil.IsZero() || w.bit(key) != signal.Clean {
			t.Errorf("the first run: %+v", report)
		}
		if lines := w.logged("another run has the bucket: nothing to do"); len(lines) != 1 || lines[0]["_aws"] != nil || lines[0]["heldUntil"] != until.Format(time.RFC3339Nano) || lines[0]["started"] != began.Add(10*time.Second).Format(time.RFC3339Nano) {
			t.Errorf("log: %v, want a line without metrics, which would look like those of a run", lines)
		}
		item := w.runItem()
		if item[protocol.AttrRunBy].Exists() || item[protocol.AttrRunUntil].Exists() || item.Text(protocol.AttrStartedAt) != signal.FormatInstant(began) {
			t.Errorf("want the run item given back, and the first run noted alone: %v", item)
		}
		w.seed("2026-07-02")
		if report := w.run(); report.Cleaned != 1 {
			t.Errorf("the run after: %+v", report)
		}
	})
}

// Lambda may deliver an event twice at once.
func TestRun_atTheSameInstant(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seedMany(40)
		w.takes(time.Second)
		w.table.put(w.bucket.Item())
		reports := make(chan check.Report)
		for range 3 {
			go func() {
				report, err := w.runner.Run(w.Context(), "5min")
				if err != nil {
					t.Error(err)
				}
				reports <- report
			}()
		}
		held, cleaned := 0, int64(0)
		for range 3 {
			report := <-reports
			cleaned += report.Cleaned
			if !report.HeldUntil.IsZero() {
				held++
			}
		}
		if held != 2 || cleaned != 40 {
			t.Errorf("%d runs ended for another, %d signals cleaned; want 2 and 40", held, cleaned)
		}
	})
}

func TestRun_keepsItsBucketWhileItRuns(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.bucket.Checks.Lease = time.Hour
		began := time.Now()
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			for range 10 {
				time.Sleep(50 * time.Second)
				if until := w.runItem().Int(protocol.AttrRunUntil); until < time.Now().Add(45*time.Second).UnixMilli() {
					t.Errorf("after %s it has the bucket for less than 45 s", time.Since(began))
				}
			}
			return signal.Estimate{}, nil
		}
		w.run()
		if got := len(w.table.sent(protocol.OpRenewRun)); got != 33 {
			t.Errorf("renewed %d times in 500 s, want once every 15 s", got)
		}
	})
}

func TestRun_takesTheBucketOfACrashedRun(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		if _, err := w.table.apply(protocol.TakeRun("5min", "crashed", time.Now())); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Second)
		if report := w.run(); report.HeldUntil.IsZero() {
			t.Errorf("a minute is not over: %+v", report)
		}
		time.Sleep(time.Second)
		if report := w.run(); report.Cleaned != 1 {
			t.Errorf("a minute is over: %+v", report)
		}
	})
}

// The claims are the fence: a run that has lost its bucket goes on.
func TestRun_goesOnThoughItCannotRenew(t *testing.T) {
	for name, answer := range map[string]error{"lost": nil, "throttled": dynamo.ErrThrottled} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				key := w.seed("2026-07-01")
				w.takes(100 * time.Second)
				w.on(protocol.OpRenewRun, always, func(do func() (signal.Item, error)) (signal.Item, error) {
					if answer != nil {
						return nil, answer
					}
					w.takeOver("another", time.Now())
					return do()
				})
				if report := w.run(); report.Cleaned != 1 || w.bit(key) != signal.Clean {
					t.Errorf("report: %+v", report)
				}
				if by := w.runItem().Text(protocol.AttrRunBy); answer == nil && by != "another" {
					t.Errorf("the run item is %q's, want the other run's", by)
				}
			})
		})
	}
}

func TestRun_whoseHoldHadNoAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		// The SDK repeats it, and is refused by what it wrote itself.
		w.on(protocol.OpTakeRun, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
			if _, err := do(); err != nil {
				return nil, err
			}
			return do()
		})
		if report := w.run(); report.Cleaned != 1 || !report.HeldUntil.IsZero() {
			t.Errorf("report: %+v", report)
		}
		if item := w.runItem(); item[protocol.AttrRunBy].Exists() || !item[protocol.AttrReport].Exists() {
			t.Errorf("run item: %v", item)
		}
	})
}

func TestRun_givesItsBucketBackWhateverHappens(t *testing.T) {
	t.Run("failed", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.table.onQuery = func(context.Context, dynamo.Query) error { return dynamo.ErrIndexNotFound }
			if _, err := w.tryRun(w.Context()); !errors.Is(err, dynamo.ErrIndexNotFound) || !strings.HasPrefix(err.Error(), `run bucket "5min": `) {
				t.Errorf("error: %v", err)
			}
			if item := w.runItem(); item[protocol.AttrRunBy].Exists() || item[protocol.AttrReport].Exists() {
				t.Errorf("run item: %v", item)
			}
			if lines := w.logged("run failed"); len(lines) != 1 || lines[0]["_aws"] != nil {
				t.Errorf("log: %v, want no metrics: their absence is the alarm", lines)
			}
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.seed("2026-07-01")
			w.takes(time.Hour)
			ctx, cancel := context.WithCancel(w.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := w.tryRun(ctx); err != nil {
				t.Error(err)
			}
			if item := w.runItem(); item[protocol.AttrRunBy].Exists() || !item[protocol.AttrReport].Exists() {
				t.Errorf("run item: %v", item)
			}
		})
	})
}

// A bucket that is not given back keeps its next run waiting, which is said.
func TestRun_saysThatItsBucketIsNotGivenBack(t *testing.T) {
	for name, test := range map[string]struct {
		answer error
		lines  int
	}{
		"another run has it":   {dynamo.ErrRefused, 0},
		"it cannot be written": {dynamo.ErrThrottled, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				for _, op := range []protocol.Op{protocol.OpEndRun, protocol.OpReleaseRun} {
					w.on(op, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, test.answer })
				}
				w.run()
				lines := w.logged("run item not given back: the bucket's next run has to wait until it is free")
				if len(lines) != test.lines || test.lines > 0 && lines[0]["error"] != test.answer.Error() {
					t.Errorf("log: %v", lines)
				}
			})
		})
	}
}
