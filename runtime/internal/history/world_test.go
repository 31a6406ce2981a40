package history_test

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	signals   = 2
	writers   = 4 // of each signal
	checkers  = 3 // of each signal
	flipsEach = 8
)

// day is one signal with its inventory.
type day struct {
	key     signal.Key
	changes atomic.Int64
	writing sync.WaitGroup
	written chan struct{}
}

// world is writers, checkers and readers of a few signals on one table.
type world struct {
	db       *dynamodb.Client
	table    string
	recorder *recorder
	days     []*day
}

// newWorld is a world of new signals. No request of its client is repeated: every
// sending is an operation of its own.
func newWorld(t *testing.T, db *dynamodb.Client, table string) *world {
	t.Helper()
	once := dynamodb.New(db.Options(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	w := &world{
		db: once, table: table,
		recorder: &recorder{store: dynamo.NewStore(once, table), began: time.Now()},
	}
	for i := range signals {
		d := signal.ProductDate{
			Product: signal.Product{CollectionID: "park", ActivityType: "dayuse", ActivityID: "a" + rand.Text(), ProductID: "1"},
			Date:    signal.Date{Year: 2027, Month: time.July, Day: 1 + i},
		}
		awstest.Seed(t, dynamo.NewStore(db, table), d, "5min", signal.Pattern{Mode: signal.Exact})
		w.days = append(w.days, &day{key: d.Key(), written: make(chan struct{})})
	}
	return w
}

// run has everybody work until every writer is done and every signal clean, and
// returns what was recorded.
func (w *world) run(t *testing.T) []porcupine.Operation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for _, d := range w.days {
		d.writing.Add(writers)
		for n := range writers {
			all.Go(func() {
				defer d.writing.Done()
				w.write(ctx, t, d, n)
			})
		}
		all.Go(func() {
			d.writing.Wait()
			close(d.written)
		})
		for range checkers {
			all.Go(func() { w.check(ctx, t, d) })
		}
	}
	all.Wait()
	for _, d := range w.days {
		item, err := w.recorder.get(ctx, d.key)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := item.Text(signal.AttrValue), strconv.FormatInt(d.changes.Load(), 10); got != want {
			t.Errorf("%s is clean with the value %s; %s changes were committed and flipped", d.key, got, want)
		}
	}
	return w.recorder.history
}

// write commits changes and flips for each, in one of the ways that there are.
func (w *world) write(ctx context.Context, t *testing.T, d *day, n int) {
	client := flip.New(unanswered{API: w.db, recorder: w.recorder, key: d.key}, w.table)
	for i := range flipsEach {
		d.changes.Add(1)
		op, by := coalesced, client.Flip
		if n == 0 && i%2 == 0 {
			op, by = protocol.OpFlip, client.Blind
		}
		if err := w.recorder.flip(op, d.key, func() error { return by(ctx, d.key) }); err != nil {
			t.Errorf("flip: %v", err)
		}
	}
}

// check checks a signal again and again, until its writers are done and it is clean.
// Leases are short, so that checkers overtake one another.
func (w *world) check(ctx context.Context, t *testing.T, d *day) {
	for ctx.Err() == nil {
		over := isClosed(d.written)
		item, err := w.recorder.get(ctx, d.key)
		if err == nil && over && item.Text(signal.AttrGSISK) == signal.Clean {
			return
		}
		w.checkOnce(ctx, d)
	}
	t.Errorf("%s has not become clean", d.key)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// checkOnce takes one check through the protocol, as a run does.
func (w *world) checkOnce(ctx context.Context, d *day) {
	lease := time.Duration(mathrand.IntN(40)) * time.Millisecond
	bucket := signal.Bucket{Name: "5min", Shards: 1, Checks: signal.Checks{Lease: lease}}
	now := time.Now()
	c := protocol.NewCheck(d.key, bucket, rand.Text(), now)
	for {
		switch c.Action() {
		case protocol.Done:
			return
		case protocol.Compute:
			c = c.Computed(d.compute())
		case protocol.ReadBack:
			item, err := w.recorder.get(ctx, d.key)
			if err != nil {
				return
			}
			c = c.Read(item)
		default:
			item, err := w.recorder.write(ctx, c.Write(), now)
			refused, isRefusal := errors.AsType[*dynamo.RefusedError](err)
			switch {
			case isRefusal:
				c = c.Refused(refused.Old)
			case err != nil:
				c = c.Unknown()
			default:
				c = c.Applied(item)
			}
		}
	}
}

// compute reads the inventory. Some reads fail.
func (d *day) compute() protocol.Outcome {
	asOf := time.Now()
	if mathrand.IntN(8) == 0 {
		return protocol.Outcome{Kind: protocol.Fault, NotBefore: asOf}
	}
	return protocol.Outcome{Value: strconv.FormatInt(d.changes.Load(), 10), AsOf: asOf}
}
