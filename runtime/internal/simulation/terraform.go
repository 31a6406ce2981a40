package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// mostApplies is how often an apply that did not do everything is repeated.
const mostApplies = 4

// terraform is one range, as its configuration and its state have it.
type terraform struct {
	*world
	client *simulator.Client
	skew   time.Duration
	// want is the configuration; absent is that there is none. full is how many
	// days it may have.
	want   dynamo.Range
	absent bool
	full   int
	// state is what was last known of it; without ID there is none.
	state dynamo.Range
	// held is whether others' items stood in its way.
	held bool
}

// days is how many days Terraform has.
func (p Plan) days() int {
	if p.Kept {
		return p.Days - 1
	}
	return p.Days
}

func newTerraform(w *world, c *simulator.Client) *terraform {
	p := w.plan
	t := &terraform{world: w, client: c, full: p.days(), absent: p.days() == 0}
	t.want = dynamo.Range{
		Product: p.product(), Span: dynamo.Span{First: p.day(0).Date, Last: p.day(max(t.full, 1) - 1).Date},
		Bucket: regular, Pattern: pattern(p.Tiered), Zone: time.UTC, Start: dynamo.Start{Dirty: true}, Adopt: p.Foreign,
	}
	if p.Valued || w.rules.CleanSeeds {
		t.want.Start = dynamo.Start{Value: none(p.Tiered), Dirty: !w.rules.CleanSeeds}
	}
	return t
}

// pattern is one of the two patterns; tiers has a tier for each hundredth.
func pattern(tiered bool) signal.Pattern {
	if !tiered {
		return signal.Pattern{Mode: signal.Exact}
	}
	p := signal.Pattern{Mode: signal.Tiered}
	const most = mostBookings * (1 + mostBookings + 1)
	for i := range most + 2 {
		bound := fmt.Sprintf("0.%02d", i)
		if i > most {
			bound = "1"
		}
		f, err := signal.ParseFraction(bound)
		if err != nil {
			panic(err)
		}
		p.Tiers = append(p.Tiers, signal.Tier{ID: fmt.Sprint("t", i), Label: fmt.Sprint(i), MaxPercentage: f})
	}
	return p
}

// none is the value where nothing is available.
func none(tiered bool) string {
	if tiered {
		return "t0"
	}
	return "0"
}

// terraform applies one change after the other.
func (w *world) terraform(a Actor, t *terraform) {
	t.skew = a.Skew
	t.client = w.Client(terraformName, simulator.WithSkew(a.Skew))
	if w.plan.Foreign {
		t.apply()
	}
	for _, s := range a.Steps {
		w.await(s)
		if t.full == 0 {
			return
		}
		t.change(s.Deed)
		t.apply()
	}
}

// change edits the configuration.
func (t *terraform) change(d Deed) {
	switch d {
	case OtherPattern:
		t.want.Pattern = pattern(t.want.Pattern.Mode == signal.Exact)
		t.want.Start.Value = ""
	case OtherBucket:
		t.want.Bucket = map[string]string{regular: seldom, seldom: regular}[t.want.Bucket]
	case Shorter:
		t.want.Last = t.want.First
	case Longer:
		t.want.Last = t.plan.day(t.full - 1).Date
	case Destroy:
		t.absent = true
	case Recreate:
		t.absent = true
		t.apply()
		t.absent = false
	case OtherShards:
		if err := dynamo.NewRegistry(t.store()).Update(t.client.Context(), bucketOf(regular, t.plan, 3)); err != nil {
			t.story.tell(time.Now(), "terraform: %v", err)
		}
	}
}

func (t *terraform) store() *dynamo.Store { return dynamo.NewStore(api{t.client, t.rules}, table) }

// apply makes what there is what the configuration says, in several attempts if it
// must. A process that crashes is followed by another.
func (t *terraform) apply() {
	for range mostApplies {
		if t.client.Crashed() {
			t.client = t.Client(terraformName, simulator.WithSkew(t.skew))
		}
		err := t.once()
		t.story.tell(time.Now(), "terraform has applied: %v", err)
		if err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func (t *terraform) once() error {
	c := t.client
	ctx, cancel := c.WithTimeout(10 * time.Minute)
	defer cancel()
	s := dynamo.NewSeeder(api{c, t.rules}, table, c.Now, c.Reader())
	has := t.state.ID != ""
	switch {
	case t.absent && has:
		err := s.DeleteRange(ctx, t.state.Product, t.state.ID)
		if _, left := errors.AsType[*dynamo.LeftError](err); err == nil || left {
			t.state = dynamo.Range{}
			return nil
		}
		return err
	case t.absent:
		return nil
	case !has:
		return t.create(ctx, s)
	}
	want := t.want
	want.ID = t.state.ID
	is, err := s.UpdateRange(ctx, t.state, want)
	t.noteHeld(err)
	switch {
	case is.ID == "":
		return err
	case is.Complete:
		t.state = want
	default:
		t.state.Span, t.state.Except = is.Span, is.Except
	}
	return err
}

func (t *terraform) create(ctx context.Context, s *dynamo.Seeder) error {
	t.creating.Store(true)
	defer t.creating.Store(false)
	is, why, err := s.CreateRange(ctx, t.want)
	t.noteHeld(errors.Join(why, err))
	if err != nil {
		return err
	}
	t.state = t.want
	t.state.ID, t.state.Span, t.state.Except = is.ID, is.Span, is.Except
	return why
}

func (t *terraform) noteHeld(err error) {
	_, t.held = errors.AsType[*dynamo.HeldError](err)
}

func bucketOf(name string, p Plan, shards int) signal.Bucket {
	b := signal.Bucket{
		Name: name, Format: signal.BucketFormat, Cadence: signal.Cadence{Minutes: 5}, Shards: shards, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "bucket " + name,
	}
	if name == seldom {
		b.Cadence = signal.Cadence{Hours: 1}
	}
	b.Checks.Concurrency, b.Checks.Lease, b.Checks.MaxStaleness = p.Concurrency, p.Lease, 0
	if p.Audits {
		b.Checks.MaxStaleness = staleness
	}
	return b
}

// staleness is max_staleness where there are audits.
const staleness = time.Hour
