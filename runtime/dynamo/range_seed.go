package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// refilled is how a signal starts on a date that had one before, or should have
// had: flips that found none were lost, so it can neither be called clean nor be
// given a value from before.
var refilled = Start{Dirty: true}

// seedings is what became of seeding many dates.
type seedings struct {
	seeded map[signal.Date]bool
	// refused had an item when they were sent.
	refused []signal.Date
	// failed is why nothing more was sent.
	failed error
	// unknown is whether a date may have been seeded all the same.
	unknown bool
}

// done is whether every date is certain to be seeded.
func (o seedings) done() bool { return o.failed == nil && len(o.refused) == 0 }

// reason says what keeps dates from being seeded: who holds them, and what failed.
func reason(p signal.Product, missing []signal.Date, after survey, failed error) error {
	held := after.holders(missing)
	switch {
	case len(held) > 0:
		return errors.Join(&HeldError{Product: p, Holders: held}, failed)
	case failed == nil:
		return fmt.Errorf("what stood in the way of %s and maybe others is gone meanwhile: %w", missing[0], ErrConflict)
	}
	return failed
}

// onTopOf is what there is for certain, after the seeding of what was missing.
func (o seedings) onTopOf(before survey) survey {
	for d := range o.seeded {
		before.own[d] = Seeded{}
	}
	return before
}

// seedDates seeds a range's dates.
func (s *Seeder) seedDates(ctx context.Context, r Range, bucket signal.Bucket, dates []signal.Date, start func(signal.Date) Start) seedings {
	out := seedings{seeded: make(map[signal.Date]bool, len(dates))}
	now := s.now()
	writes := make([]protocol.Write, len(dates))
	for i, d := range dates {
		id, err := s.newID()
		if err != nil {
			out.failed = err
			return out
		}
		made := Seeded{
			ProductDate: signal.ProductDate{Product: r.Product, Date: d},
			GlobalID:    id,
			SeededBy:    Owner(r.ID),
			Terms:       r.terms(d),
		}
		made.Pattern.Cadence = bucket.Cadence
		writes[i] = protocol.Seed(made.seeding(bucket, start(d)), now)
	}
	out.failed = s.sendAll(ctx, writes, func(i int, err error) {
		switch {
		case err == nil:
			out.seeded[dates[i]] = true
		case errors.Is(err, ErrRefused):
			out.refused = append(out.refused, dates[i])
		case !NothingWritten(err):
			out.unknown = true
		}
	})
	return out
}

// CreateRange seeds a signal for every date of a range that has not expired,
// under a new ID. If any of these dates has an item already, the error is a
// *HeldError and nothing has been written. An error means that no date is seeded,
// and there is no state. If only some could be seeded, or it could not be learned
// how many, there is a state that says which are Missing, and why says what kept
// them from being seeded: UpdateRange resumes.
func (s *Seeder) CreateRange(ctx context.Context, r Range) (state RangeState, why, err error) {
	if r.ID, err = s.newID(); err != nil {
		return RangeState{}, nil, err
	}
	state = RangeState{ID: r.ID, Span: r.Span, Complete: true}
	live, ok := r.Live(s.now())
	if !ok {
		return state, nil, nil
	}
	bucket, err := s.registry.Get(ctx, r.Bucket)
	if err != nil {
		return RangeState{}, nil, err
	}
	before, err := s.look(ctx, r.Product, r.ID, live)
	if err != nil {
		return RangeState{}, nil, err
	}
	dates := before.missing(live)
	if held := before.holders(dates); len(held) > 0 {
		return RangeState{}, nil, &HeldError{Product: r.Product, Holders: held}
	}
	out := s.seedDates(ctx, r, bucket, dates, func(signal.Date) Start { return r.Start })
	if out.done() {
		return state, nil, nil
	}
	reading, stop := detached(ctx)
	defer stop()
	after, readErr := s.look(reading, r.Product, r.ID, live)
	if readErr != nil {
		after = out.onTopOf(before)
	}
	state.Missing = after.missing(live)
	switch unknown := readErr != nil && out.unknown; {
	case len(state.Missing) == 0:
		return state, nil, nil
	case len(after.own) == 0 && !unknown:
		return RangeState{}, nil, reason(r.Product, state.Missing, after, out.failed)
	}
	return state, reason(r.Product, state.Missing, after, out.failed), nil
}
