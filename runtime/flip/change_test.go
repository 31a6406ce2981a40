package flip_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Many callers change three dates while checks run without pause. After each flip
// its change must be known: the signal is dirty, or its value has it already.
func TestFlip_losesNoChange(t *testing.T) {
	const dates, changes = 3, 100
	tbl := newTable(clean(key(0)), clean(key(1)), clean(key(2)))
	c := flip.New(tbl, "t")
	var inventory [dates]atomic.Int64

	var writers, checker sync.WaitGroup
	for w := range callers {
		writers.Go(func() {
			for i := range changes {
				d := (w + i) % dates
				committed := inventory[d].Add(1)
				if err := c.Flip(t.Context(), key(d)); err != nil {
					t.Error(err)
				}
				item := tbl.item(key(d))
				value, _ := strconv.ParseInt(item.Text(signal.AttrValue), 10, 64)
				if item.Text(signal.AttrGSISK) != signal.Dirty && value < committed {
					t.Errorf("date %d is clean with the value %d after change %d was flipped", d, value, committed)
				}
			}
		})
	}
	over := make(chan struct{})
	checker.Go(func() {
		for {
			for d := range dates {
				check(tbl, key(d), &inventory[d])
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	writers.Wait()
	close(over)
	checker.Wait()

	for d := range dates {
		check(tbl, key(d), &inventory[d])
		item := tbl.item(key(d))
		if got, want := item.Text(signal.AttrValue), strconv.FormatInt(inventory[d].Load(), 10); got != want || item.Text(signal.AttrGSISK) != signal.Clean {
			t.Errorf("date %d ends %s with the value %s, want clean with %s", d, item.Text(signal.AttrGSISK), got, want)
		}
	}
	reads, writes := tbl.calls()
	if total := callers * changes; reads > total || writes > reads {
		t.Errorf("%d flips took %d reads and %d writes", total, reads, writes)
	}
}

// check is one check of a signal, as the runtime makes it.
func check(tbl *table, k signal.Key, inventory *atomic.Int64) {
	bucket := signal.Bucket{Name: "5min", Shards: 1, Checks: signal.DefaultChecks()}
	c := protocol.NewCheck(k, bucket, strconv.FormatInt(time.Now().UnixNano(), 36), time.Now())
	for {
		switch c.Action() {
		case protocol.SendOnce, protocol.Send:
			if w := c.Write(); tbl.apply(w) {
				c = c.Applied(tbl.item(k))
			} else {
				c = c.Refused(tbl.item(k))
			}
		case protocol.Compute:
			asOf := time.Now()
			c = c.Computed(protocol.Outcome{Value: strconv.FormatInt(inventory.Load(), 10), AsOf: asOf})
		default:
			return
		}
	}
}
