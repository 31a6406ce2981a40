package simulation

import (
	"context"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// conclude lets everything come to rest, in good weather, and judges what there is
// then: one good run makes every signal clean and exact, two where the source lags,
// and one after an audit where somebody crashed between a booking and its flip.
func (w *world) conclude(tf *terraform) {
	// What is late arrives, and flips whose callers crashed give up.
	time.Sleep(2 * time.Minute)
	w.DB().Settle()
	if !tf.absent || tf.state.ID != "" {
		tf.skew = 0
		tf.client = w.Client(terraformName)
		tf.apply()
	}
	w.DB().Settle()
	// Put-offs, leases and holds end.
	time.Sleep(time.Hour + 15*time.Minute)
	w.runOnce()
	w.judge.rest(w.found(), tf, false)
	if w.plan.Audits {
		for range 4 {
			time.Sleep(staleness / 2)
			w.runOnce()
		}
		time.Sleep(cadence)
		w.runOnce()
		w.judge.rest(w.found(), tf, true)
	}
}

// runOnce is a good run, or two where the source lags.
func (w *world) runOnce() {
	w.tick(w.Client(functionName))
	w.DB().Settle()
	if w.plan.Lag > 0 {
		time.Sleep(w.plan.settle() + cadence)
		w.tick(w.Client(functionName))
		w.DB().Settle()
	}
}

// found is what is in the product's partition, by day.
func (w *world) found() map[string]signal.Item {
	store := dynamo.NewStore(w.Client(setupName), table)
	found := map[string]signal.Item{}
	for item, err := range store.Query(context.Background(), dynamo.Query{Hash: signal.AttrPK, Partition: w.plan.product().PK()}) {
		if err != nil {
			w.Error(err)
			break
		}
		found[item.Text(signal.AttrSK)] = item
	}
	return found
}

// rest judges what is found when all is at rest; audited is whether an audit has
// passed everything since.
func (j *judge) rest(found map[string]signal.Item, tf *terraform, audited bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = time.Now()
	for day := range j.days {
		f := &j.days[day]
		item, there := found[j.plan.day(day).Date.String()]
		if there != f.is.there {
			j.breach(Progress, "day %d is otherwise than its changes tell: %v", day, item)
		}
		j.owned(day, tf, item)
		if there && j.now.Before(f.is.expiry) {
			j.atRest(day, f, audited)
		}
	}
}

func (j *judge) atRest(day int, f *dayFile, audited bool) {
	// A booking whose process crashed before its flip is the audit's.
	gap := f.open > 0 && !audited
	var v vector
	valued := v.read(f.is.value, f.is.mode)
	switch {
	case f.is.dirty && gap && j.plan.Audits:
		// It has just found it.
	case f.is.dirty:
		j.breach(Progress, "day %d is still dirty", day)
	case f.is.value == "" && !audited:
		// Clean from the start, by somebody's word, and no change since.
	case !valued || !v.covers(f.required) || !gap && v != f.visible:
		j.breach(Progress, "day %d came to rest with %q, bookings %v; there are %v", day, f.is.value, v, f.visible)
	}
}

// owned judges whether Terraform has what it should, and nothing else.
func (j *judge) owned(day int, tf *terraform, item signal.Item) {
	d := j.plan.day(day).Date
	live := j.now.Before(signal.Expiry(d, time.UTC))
	want := !tf.absent && day < tf.full && tf.want.Contains(d) && live
	mine := strings.HasPrefix(item.Text(signal.AttrSeededBy), "terraform:")
	switch {
	case tf.held:
	case want && !mine && tf.plan.has(DeleteByHand) && tf.client.Name() == setupName:
		// Nobody applies anything any more.
	case want && item.Text(signal.AttrSeededBy) != dynamo.Owner(tf.state.ID):
		j.breach(Progress, "day %d is not Terraform's after its last apply, but %q's", day, item.Text(signal.AttrSeededBy))
	case !want && mine && live:
		j.breach(NoCrossing, "day %d is still Terraform's, which does not want it", day)
	}
}
