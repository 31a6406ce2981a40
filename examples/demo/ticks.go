package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
)

// The morning is played so that the second tick, a minute after the first, falls
// into it.
const (
	morningAfterTick = 50 * time.Second
	morningLasts     = 40 * time.Second
	// flipLimit is generous: a busy machine must not fail the demo.
	flipLimit = time.Minute
	// moreTicks is how many ticks the last may need, should the machine be busy.
	moreTicks = 3
)

func (d *demo) firstTick(ctx context.Context) error {
	d.out.scene("First tick", "EventBridge fires a new rule after one interval, by itself. The Lambda computes every dirty signal.")
	// It is over when the demo is, and looks at nothing that outlives it.
	go d.watch.follow(ctx)
	runs, err := d.watch.await(ctx, nil, d.waiting("EventBridge"))
	if err != nil {
		return err
	}
	d.out.lines(runTable(runs))
	signals, err := readSignals(ctx, d.store, d.season)
	if err != nil {
		return err
	}
	d.before = values(signals)
	right := 0
	for day, want := range d.season.Values(d.season.Opening()) {
		if d.before[day] == want {
			right++
		}
	}
	d.out.line("(raced: flipped again while they were being checked; left: still dirty, for the next tick;")
	d.out.line("waited: for how long the stalest of them had been dirty)")
	d.out.line("%s of %s show what their pools have", comma(right), plural(d.days, "date"))
	if right != d.days {
		return runtimeFault{fmt.Errorf("the first tick left %s without their value", plural(d.days-right, "date"))}
	}
	return nil
}

// waiting tells what is being waited for.
func (d *demo) waiting(whom string) func([]bucketRun) {
	began := time.Now()
	return func(done []bucketRun) {
		var names []string
		for _, r := range done {
			names = append(names, r.bucket)
		}
		ready := ""
		if len(names) > 0 {
			ready = ": " + strings.Join(names, ", ") + " done"
		}
		d.out.progress("waiting for %s, %s%s", whom, seconds(time.Since(began).Truncate(time.Second)), ready)
	}
}

func (d *demo) morning(ctx context.Context) error {
	first, err := d.watch.after(nil)
	if err != nil {
		return err
	}
	begin := first[0].started
	for _, r := range first {
		if r.started.Before(begin) {
			begin = r.started
		}
	}
	begin = begin.Add(morningAfterTick)
	d.out.scene("Opening day, and second tick",
		"%s in %.0f s, each a transaction followed by its flip, while the second tick checks.",
		plural(len(d.season.Morning), "booking"), morningLasts.Seconds())
	api := &counted{API: d.db}
	flips := flip.New(api, tableName, flip.WithLimit(flipLimit))
	r := &replay{season: d.season, db: d.db, flips: flips}
	taken := make(chan error, 1)
	go func() { taken <- r.run(ctx, begin, morningLasts) }()
	second, err := d.watch.await(ctx, starts(first), func(done []bucketRun) { d.opening(r, begin, done) })
	if err != nil {
		return err
	}
	if err := d.closing(ctx, r, begin, taken, second); err != nil {
		return err
	}
	d.out.lines(runTable(second))
	if n := r.flipped.Load(); n > 0 {
		d.out.line("%s flips took %s reads and %s writes: a signal that is dirty and unclaimed needs no write",
			comma(n), comma(api.reads.Load()), comma(api.writes.Load()))
	}
	return nil
}

// closing waits for the last booking.
func (d *demo) closing(ctx context.Context, r *replay, begin time.Time, taken <-chan error, done []bucketRun) error {
	tick := time.NewTicker(often)
	defer tick.Stop()
	for {
		select {
		case err := <-taken:
			return err
		case <-tick.C:
			d.opening(r, begin, done)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// opening tells how far the morning is.
func (d *demo) opening(r *replay, begin time.Time, done []bucketRun) {
	if wait := time.Until(begin); wait > 0 {
		d.out.progress("the gates open in %s", seconds(wait.Truncate(time.Second)))
		return
	}
	d.out.progress("%s of %s taken, %d of %d buckets checked", comma(r.booked.Load()), plural(len(d.season.Morning), "booking"), len(done), len(d.watch.buckets))
}

func (d *demo) lastTick(ctx context.Context) error {
	d.out.scene("Third tick", "No more bookings: what the second tick met, and what came after it, is computed now.")
	since := map[string]time.Time{}
	now := time.Now()
	for _, b := range d.watch.buckets {
		since[b] = now
	}
	for n := 1; ; n++ {
		runs, err := d.watch.await(ctx, since, d.waiting("EventBridge"))
		if err != nil {
			return err
		}
		d.out.lines(runTable(runs))
		var left int64
		for _, r := range runs {
			left += r.left()
		}
		switch {
		case left <= 0:
			return nil
		case n == moreTicks:
			return runtimeFault{fmt.Errorf("%s still dirty %d ticks after the last booking", plural(int(left), "signal"), n)}
		}
		d.out.line("%d are left for one more tick", left)
		since = starts(runs)
	}
}

func (d *demo) verify(ctx context.Context) error {
	sentence := "Every signal against a recount of its pools"
	if d.season.After != nil {
		sentence += ", and against " + season.AfterFile
	}
	d.out.scene("Proof", "%s.", sentence)
	signals, err := readSignals(ctx, d.store, d.season)
	if err != nil {
		return err
	}
	left, err := readPools(ctx, d.store, d.season)
	if err != nil {
		return err
	}
	d.after = values(signals)
	product := d.season.Telling(d.before, d.after)
	p := d.season.Products[product]
	d.out.line("%s (%s)", p.Name, p.Product)
	d.out.lines(d.season.Calendar(product, d.before, d.after))
	d.out.line("")
	pools := wrongPools(d.season, left)
	days := wrongDays(d.season, signals, left)
	d.out.line("wrong pools: %d of %d", len(pools), len(left))
	d.out.line("wrong days: %d of %d", len(days), d.days)
	if faults := slices.Concat(pools, days); len(faults) > 0 {
		d.out.lines(faults[:min(10, len(faults))])
		return runtimeFault{fmt.Errorf("%s and %s not as they must be", plural(len(days), "day"), plural(len(pools), "pool"))}
	}
	return nil
}
