package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// rangeWork is what has to be done to a range.
type rangeWork struct {
	bucket signal.Bucket
	before survey
	seed   []signal.Date
	take   []Seeded
	change []Seeded
	remove []Seeded
}

// UpdateRange makes a range that was as given what it should be: it seeds dates
// that it has not, adopts what it may, deletes those that it should not have, and
// changes those that are not as they should be. Dates that have expired are left
// alone, and so are signals that another has taken over or seeded anew meanwhile:
// those that should have been deleted are the state's Left.
//
// A date that the range had not and that has an item which it may not adopt is a
// *HeldError and nothing is done. A state without ID means that nothing has been
// done. Any other state goes with the error, if there is one: where it is not
// Complete, the range still has its terms from before, on the dates that the state
// says, and a repeat does what is left.
func (s *Seeder) UpdateRange(ctx context.Context, was, r Range) (RangeState, error) {
	work, err := s.rangeWork(ctx, was, r)
	if err != nil {
		return RangeState{}, err
	}
	out := s.gain(ctx, r, work.bucket, work.seed, work.take, func(d signal.Date) Start {
		if was.Has(d) {
			return refilled
		}
		return r.Start
	})
	var left []Holder
	failed := out.failed
	if failed == nil {
		failed = s.changeDates(ctx, r, work)
	}
	if failed == nil {
		left, failed = s.drop(ctx, r.Product, r.ID, work.remove)
	}
	if failed == nil && out.done() {
		state := RangeState{ID: r.ID, Span: r.Span, Except: r.Except, Left: left, Complete: true}
		after := out.onTopOf(work.before, r)
		if state.Missing = after.missing(r, s.now()); len(state.Missing) == 0 {
			return state, nil
		}
		return state, reason(r.Product, state.Missing, after, nil)
	}
	is, after := s.settle(ctx, was, r, work.before, out)
	if failed == nil {
		is = r
	}
	state := after.state(was, is, s.now())
	state.Left = left
	if state.Complete = failed == nil; state.Complete && len(state.Missing) == 0 {
		return state, nil
	}
	return state, reason(r.Product, state.Missing, after, failed)
}

func (s *Seeder) rangeWork(ctx context.Context, was, r Range) (rangeWork, error) {
	before, err := s.look(ctx, r, was.Hull(r.Span))
	if err != nil {
		return rangeWork{}, err
	}
	work := rangeWork{before: before}
	for _, d := range before.dates() {
		if !r.Has(d) {
			work.remove = append(work.remove, before.own[d])
		}
	}
	var held []signal.Date
	for d := range r.Dates(s.now()) {
		is, own := before.own[d]
		free, isFree := before.free[d]
		_, isHeld := before.held[d]
		switch {
		case own:
			if is.differs(r.terms(d)) || len(is.Repairs()) > 0 {
				work.change = append(work.change, is)
			}
		case isFree && (r.Adopt || was.Has(d) && before.nobodys(d)):
			work.take = append(work.take, free)
		case isHeld && was.Has(d):
			// It stays missing, which is said once the rest is done.
		case isHeld:
			held = append(held, d)
		default:
			work.seed = append(work.seed, d)
		}
	}
	if len(held) > 0 {
		return rangeWork{}, &HeldError{Product: r.Product, Holders: before.holders(held)}
	}
	if was.Bucket != r.Bucket || len(work.seed)+len(work.take)+len(work.change) > 0 {
		if work.bucket, err = s.registry.Get(ctx, r.Bucket); err != nil {
			return rangeWork{}, err
		}
	}
	return work, nil
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
// over or seeded anew meanwhile stays: refused are the dates, in no order.
func (s *Seeder) removeDates(ctx context.Context, signals []Seeded) (refused []signal.Date, err error) {
	write := func(i int) (protocol.Write, error) {
		return protocol.DeleteBySeeder(signals[i].Key(), signals[i].identity()), nil
	}
	err = s.sendAll(ctx, len(signals), write, func(i int, err error) {
		if errors.Is(err, ErrRefused) {
			refused = append(refused, signals[i].Date)
		}
	})
	return refused, err
}

// settle finds out what there is after not everything has gone well, and the range
// as it was, on as many more dates as it may have by now: none that has been gained
// must be forgotten.
func (s *Seeder) settle(ctx context.Context, was, r Range, before survey, out gains) (Range, survey) {
	ctx, stop := detached(ctx)
	defer stop()
	is := was
	after, err := s.look(ctx, r, was.Hull(r.Span))
	if err != nil {
		after = out.onTopOf(before, r)
		is.Span = was.Hull(r.Span)
	} else {
		for d := range after.own {
			is.Span = is.Hull(Span{d, d})
		}
	}
	is.Except = nil
	for d := is.First; is.Contains(d); d = d.AddDays(1) {
		if _, own := after.own[d]; !own && !was.Has(d) && (was.Contains(d) || !r.Has(d)) {
			is.Except = append(is.Except, d)
		}
	}
	return is, after
}
