package dynamo

import (
	"context"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// rangeWork is what has to be done to a range.
type rangeWork struct {
	bucket signal.Bucket
	before survey
	seed   []signal.Date
	change []Seeded
	remove []Seeded
}

// UpdateRange makes a range that was as given what it should be: it seeds dates
// that it has not, deletes those that it should not have, and changes the others
// only where bucket, pattern or zone are not what they were. Dates that have
// expired are left alone.
//
// A date outside the range as it was that has another's item is a *HeldError and
// nothing is done. A state without ID means that nothing has been done. Any other
// state goes with the error, if there is one: where it is not Complete, the range
// still has its terms from before, on the dates that the state says, and a repeat
// does what is left.
func (s *Seeder) UpdateRange(ctx context.Context, was, r Range) (RangeState, error) {
	work, err := s.rangeWork(ctx, was, r)
	if err != nil {
		return RangeState{}, err
	}
	out := s.seedDates(ctx, r, work.bucket, work.seed, func(d signal.Date) Start {
		if was.Contains(d) {
			return refilled
		}
		return r.Start
	})
	failed := out.failed
	if failed == nil {
		failed = s.changeDates(ctx, r, work)
	}
	if failed == nil {
		failed = s.removeDates(ctx, work.remove)
	}
	if failed == nil && out.done() {
		return s.updated(r, out.onTopOf(work.before), nil)
	}
	is, after := s.settle(ctx, was, r, work.before, out)
	if failed == nil {
		is = r
	}
	return s.updated(is, after, failed)
}

func (s *Seeder) rangeWork(ctx context.Context, was, r Range) (rangeWork, error) {
	before, err := s.look(ctx, r.Product, r.ID, was.Hull(r.Span), owned()...)
	if err != nil {
		return rangeWork{}, err
	}
	work := rangeWork{before: before}
	for _, d := range before.dates() {
		if !r.Contains(d) {
			work.remove = append(work.remove, before.own[d])
		}
	}
	moved := was.Bucket != r.Bucket
	changed := moved || !SamePattern(was.Pattern, r.Pattern) || was.Zone.String() != r.Zone.String()
	if live, ok := r.Live(s.now()); ok {
		for d := live.First; live.Contains(d); d = d.AddDays(1) {
			is, own := before.own[d]
			_, held := before.held[d]
			switch {
			case held && !was.Contains(d):
				return rangeWork{}, &HeldError{Product: r.Product, Holders: before.holders(outside(before.missing(live), was.Span))}
			case held:
				// It stays missing, which is said once the rest is done.
			case !own:
				work.seed = append(work.seed, d)
			case changed:
				if _, differs := is.change(r.terms(d), signal.Bucket{}); differs {
					work.change = append(work.change, is)
				}
			}
		}
	}
	if moved || len(work.seed) > 0 || len(work.change) > 0 {
		if work.bucket, err = s.registry.Get(ctx, r.Bucket); err != nil {
			return rangeWork{}, err
		}
	}
	return work, nil
}

func outside(dates []signal.Date, span Span) []signal.Date {
	var rest []signal.Date
	for _, d := range dates {
		if !span.Contains(d) {
			rest = append(rest, d)
		}
	}
	return rest
}

func (s *Seeder) changeDates(ctx context.Context, r Range, work rangeWork) error {
	return inParallel(ctx, len(work.change), updatesAtOnce, func(ctx context.Context, i int) error {
		is := work.change[i]
		if err := s.update(ctx, is, r.terms(is.Date), work.bucket); err != nil {
			return fmt.Errorf("%s: %w", is.Date, err)
		}
		return nil
	})
}

// removeDates deletes signals that are as they were read. What another has taken
// over or seeded anew meanwhile stays.
func (s *Seeder) removeDates(ctx context.Context, signals []Seeded) error {
	writes := make([]protocol.Write, len(signals))
	for i, is := range signals {
		writes[i] = protocol.DeleteBySeeder(is.Key(), is.identity())
	}
	return s.sendAll(ctx, writes, func(int, error) {})
}

// settle finds out what there is after not everything has gone well, and the range
// as it was, on as many more dates as it may have by now: none that has been seeded
// must be forgotten.
func (s *Seeder) settle(ctx context.Context, was, r Range, before survey, out seedings) (Range, survey) {
	ctx, stop := detached(ctx)
	defer stop()
	after, err := s.look(ctx, r.Product, r.ID, was.Hull(r.Span))
	if err != nil {
		was.Span = was.Hull(r.Span)
		return was, out.onTopOf(before)
	}
	for d := range after.own {
		was.Span = was.Hull(Span{d, d})
	}
	return was, after
}

// updated is the state of a range, given what there is of it after an update.
func (s *Seeder) updated(r Range, after survey, failed error) (RangeState, error) {
	state := RangeState{ID: r.ID, Span: r.Span, Complete: failed == nil}
	if live, ok := r.Live(s.now()); ok {
		state.Missing = after.missing(live)
	}
	if failed == nil && len(state.Missing) == 0 {
		return state, nil
	}
	return state, reason(r.Product, state.Missing, after, failed)
}
