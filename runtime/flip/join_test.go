package flip_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const callers = 64

// gate makes the n-th read wait until it is opened.
type gate []chan struct{}

func newGate(reads int) gate {
	g := make(gate, reads)
	for i := range g {
		g[i] = make(chan struct{})
	}
	return g
}

func (g gate) open(read int) { close(g[read-1]) }

func (g gate) before(call string, n int) error {
	if call == "read" && n <= len(g) {
		<-g[n-1]
	}
	return nil
}

// results collects what callers were told.
type results struct {
	mu   sync.Mutex
	errs []error
}

func (r *results) start(n int, do func() error) {
	for range n {
		go func() {
			err := do()
			r.mu.Lock()
			defer r.mu.Unlock()
			r.errs = append(r.errs, err)
		}()
	}
}

func (r *results) all() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errs
}

// The heart of joining: a read that began before a caller's change proves nothing
// about it.
func TestFlip_callersInFlightJoinTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl, g := newTable(clean(key(1))), newGate(2)
		tbl.before = g.before
		c := flip.New(tbl, "t")
		do := func() error { return c.Flip(t.Context(), key(1)) }
		var first, late results

		first.start(1, do)
		synctest.Wait()
		late.start(callers-1, do)
		synctest.Wait()
		if reads, _ := tbl.calls(); reads != 1 {
			t.Fatalf("%d reads while the first is in flight", reads)
		}

		g.open(1)
		synctest.Wait()
		if n := len(first.all()); n != 1 {
			t.Error("the first caller still waits after its own flip")
		}
		if n := len(late.all()); n != 0 {
			t.Errorf("%d callers were served by a flip that was in flight when they came", n)
		}
		if reads, writes := tbl.calls(); reads != 2 || writes != 1 {
			t.Errorf("%d reads and %d writes, want the second read under way and 1 write", reads, writes)
		}

		g.open(2)
		synctest.Wait()
		if n := len(late.all()); n != callers-1 {
			t.Errorf("%d of %d were served", n, callers-1)
		}
		for _, err := range append(first.all(), late.all()...) {
			if err != nil {
				t.Error(err)
			}
		}
		// One flip for the first, and one for all others, who find it dirty.
		if reads, writes := tbl.calls(); reads != 2 || writes != 1 {
			t.Errorf("%d reads and %d writes, want 2 and 1", reads, writes)
		}
	})
}

// Guards the order that a shared flip could break: a check claims the signal
// while a flip is in flight, and the joined callers' change comes after.
func TestFlip_joinedChangeReachesASignalClaimedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl, g := newTable(dirty(key(1))), newGate(1)
		tbl.before = g.before
		c := flip.New(tbl, "t")
		var r results
		r.start(1, func() error { return c.Flip(t.Context(), key(1)) })
		synctest.Wait()
		r.start(1, func() error { return c.Flip(t.Context(), key(1)) })
		synctest.Wait()
		tbl.before = func(call string, n int) error {
			if call == "read" && n == 2 {
				tbl.mu.Lock()
				tbl.items[key(1)] = claimed(key(1))
				tbl.mu.Unlock()
			}
			return nil
		}
		g.open(1)
		synctest.Wait()
		if i := tbl.item(key(1)); i.Int(signal.AttrRev) <= i.Int(signal.AttrClaimedRev) {
			t.Error("the claimed check would clean the signal: the joined caller's flip was left out")
		}
	})
}

func TestFlip_differentSignalsDoNotWaitForOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl, g := newTable(clean(key(1)), clean(key(2))), newGate(1)
		tbl.before = g.before
		c := flip.New(tbl, "t")
		var r results
		r.start(1, func() error { return c.Flip(t.Context(), key(1)) })
		synctest.Wait()
		if err := c.Flip(t.Context(), key(2)); err != nil {
			t.Error(err)
		}
		g.open(1)
	})
}

func TestFlip_oneCallersEndIsNotTheOthers(t *testing.T) {
	for name, leaves := range map[string]int{"the one who started it": 0, "one who joined": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tbl, g := newTable(clean(key(1))), newGate(2)
				tbl.before = g.before
				c := flip.New(tbl, "t")
				ctx, cancel := context.WithCancelCause(t.Context())
				gone := errors.New("client gone")
				var leaver, others results
				for i := range 4 {
					r, ctx := &others, ctx
					if i == leaves {
						r = &leaver
					} else {
						ctx = t.Context()
					}
					r.start(1, func() error { return c.Flip(ctx, key(1)) })
					synctest.Wait()
				}
				cancel(gone)
				synctest.Wait()
				if errs := leaver.all(); len(errs) != 1 || !errors.Is(errs[0], gone) {
					t.Errorf("the caller whose context ended was told %v", errs)
				}
				if errs := others.all(); len(errs) != 0 {
					t.Errorf("others were told %v", errs)
				}
				g.open(1)
				g.open(2)
				synctest.Wait()
				errs := others.all()
				if len(errs) != 3 || errors.Join(errs...) != nil {
					t.Errorf("others were told %v", errs)
				}
			})
		})
	}
}

// Whoever asks for a flip has committed a change; a client that hangs up in
// between must not cost it.
func TestFlip_isMadeThoughNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl, g := newTable(clean(key(1))), newGate(2)
		tbl.before = func(call string, n int) error {
			if call == "read" && n == 2 {
				// So that the second flip has something to write as well.
				tbl.mu.Lock()
				tbl.items[key(1)] = claimed(key(1))
				tbl.mu.Unlock()
			}
			return g.before(call, n)
		}
		c := flip.New(tbl, "t")
		ctx, cancel := context.WithCancel(t.Context())
		var r results
		for range 2 {
			r.start(1, func() error { return c.Flip(ctx, key(1)) })
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		for _, err := range r.all() {
			want := `wait for flip of "availabilitySignal::park::dayuse::1::1 2027-07-01", which goes on: context canceled`
			if err == nil || err.Error() != want {
				t.Errorf("%v\nwant %s", err, want)
			}
		}
		if _, writes := tbl.calls(); writes != 0 {
			t.Fatal("written before the read was answered")
		}

		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := c.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait returned %v while flips are under way", err)
		}
		g.open(1)
		g.open(2)
		if err := c.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if _, writes := tbl.calls(); writes != 2 {
			t.Errorf("%d writes, want one for each of the two", writes)
		}
		if err := c.Wait(t.Context()); err != nil {
			t.Errorf("with nothing under way: %v", err)
		}
	})
}

func TestFlip_endedContextStillFlips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl := newTable(clean(key(1)))
		c := flip.New(tbl, "t")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		// Whether the answer or the end of ctx comes first is not defined.
		if err := c.Flip(ctx, key(1)); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := c.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if got := tbl.item(key(1)).Text(signal.AttrGSISK); got != signal.Dirty {
			t.Errorf("the signal is %q", got)
		}
	})
}

func TestFlip_failureIsToldToAllWhoJoinedAndToNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl, g := newTable(clean(key(1))), newGate(1)
		fault := &types.ResourceNotFoundException{Message: aws.String("not found")}
		tbl.before = func(call string, n int) error {
			if call == "write" && n == 1 {
				return fault
			}
			return g.before(call, n)
		}
		c := flip.New(tbl, "t")
		do := func() error { return c.Flip(t.Context(), key(1)) }
		var first, late results
		first.start(1, do)
		synctest.Wait()
		late.start(3, do)
		synctest.Wait()
		g.open(1)
		synctest.Wait()
		if errs := first.all(); len(errs) != 1 || !errors.Is(errs[0], dynamo.ErrTableNotFound) {
			t.Errorf("the first was told %v", errs)
		}
		if errs := late.all(); len(errs) != 3 || errors.Join(errs...) != nil {
			t.Errorf("those of the next flip were told %v", errs)
		}
	})
}

func TestFlip_failureThatNobodyWaitsForIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl := newTable(clean(key(1)))
		tbl.before = func(string, int) error { return &types.TransactionConflictException{Message: aws.String("busy")} }
		var log bytes.Buffer
		c := flip.New(tbl, "t", flip.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Flip(ctx, key(1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("told %v", err)
		}
		if err := c.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, part := range []string{"level=WARN", "flip failed after its callers had stopped waiting", key(1).String(), "conflict with a transaction"} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("the log lacks %q: %s", part, log.String())
			}
		}
	})
}

// However callers come and go, one call at a time is under way for a signal, and
// nothing is left of it: the bubble ends with an error if a goroutine is.
func TestFlip_leavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const dates = 3
		tbl := newTable(clean(key(0)), clean(key(1)), clean(key(2)))
		var underWay atomic.Int64
		tbl.before = func(string, int) error {
			if n := underWay.Add(1); n > dates {
				t.Errorf("%d calls at once for %d signals", n, dates)
			}
			time.Sleep(3 * time.Millisecond)
			underWay.Add(-1)
			return nil
		}
		c := flip.New(tbl, "t")
		for i := range 1000 {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%10)*time.Millisecond)
				defer cancel()
				_ = c.Flip(ctx, key(i%dates))
			}()
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(2 * flip.DefaultLimit)
		if n := flip.Lines(c); n != 0 {
			t.Errorf("the client still remembers %d signals", n)
		}
	})
}
