package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// refilled is how a signal starts on a date that had one before, or should have
// had: flips that found none were lost, so it can neither be called clean nor be
// given a value from before.
var refilled = Start{Dirty: true}

// gains is what became of seeding and adopting many dates.
type gains struct {
	got []signal.Date
	// refused had another item than the one, or the none, that was looked at.
	refused []signal.Date
	// failed is why nothing more was sent.
	failed error
	// unknown is whether a date may be the range's all the same.
	unknown bool
}

// done is whether every date is certain to be the range's.
func (g gains) done() bool { return g.failed == nil && len(g.refused) == 0 }

// reason says what keeps dates from being the range's: who holds them, and what
// failed.
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

// onTopOf is what there is for certain, after what was missing was made r's.
func (g gains) onTopOf(before survey, r Range) survey {
	for _, d := range g.got {
		before.own[d] = Seeded{GlobalID: "known", SeededBy: Owner(r.ID), Terms: r.terms(d)}
	}
	return before
}

// gain makes dates a range's: it seeds those of seed and adopts those of take.
func (s *Seeder) gain(ctx context.Context, r Range, bucket signal.Bucket, seed []signal.Date, take []Seeded, start func(signal.Date) Start) gains {
	out := gains{got: make([]signal.Date, 0, len(seed)+len(take))}
	out.failed = s.seedDates(ctx, r, bucket, seed, start, &out)
	if out.failed == nil {
		out.failed = s.adoptDates(ctx, r, bucket, take, &out)
	}
	return out
}

func (s *Seeder) seedDates(ctx context.Context, r Range, bucket signal.Bucket, dates []signal.Date, start func(signal.Date) Start, out *gains) error {
	now := s.now()
	write := func(i int) (protocol.Write, error) {
		id, err := s.newID()
		if err != nil {
			return protocol.Write{}, err
		}
		made := Seeded{
			ProductDate: signal.ProductDate{Product: r.Product, Date: dates[i]},
			GlobalID:    id,
			SeededBy:    Owner(r.ID),
			Terms:       r.terms(dates[i]),
		}
		made.Pattern.Cadence = bucket.Cadence
		return protocol.Seed(made.seeding(bucket, start(dates[i])), now), nil
	}
	return s.sendAll(ctx, len(dates), write, func(i int, err error) {
		switch {
		case err == nil:
			out.got = append(out.got, dates[i])
		case errors.Is(err, ErrRefused):
			out.refused = append(out.refused, dates[i])
		case !NothingWritten(err):
			out.unknown = true
		}
	})
}

func (s *Seeder) adoptDates(ctx context.Context, r Range, bucket signal.Bucket, take []Seeded, out *gains) error {
	var mu sync.Mutex
	return inParallel(ctx, len(take), updatesAtOnce, func(ctx context.Context, i int) error {
		is := take[i]
		_, err := s.adopt(ctx, is, Owner(r.ID), r.terms(is.Date), bucket)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			out.got = append(out.got, is.Date)
		case errors.Is(err, ErrGone), errors.Is(err, ErrNotOurs):
			out.refused = append(out.refused, is.Date)
		default:
			if !NothingWritten(err) {
				out.unknown = true
			}
			return fmt.Errorf("%s: %w", is.Date, err)
		}
		return nil
	})
}

// CreateRange seeds a signal for every date of a range that has not expired,
// under a new ID, or adopts the one that is there. If any of these dates has an
// item that it may not adopt, the error is a *HeldError and nothing has been
// written. An error means that no date is the range's, and there is no state. If
// only some are, or it could not be learned how many, there is a state that says
// which are Missing, and why says what kept them: UpdateRange resumes.
func (s *Seeder) CreateRange(ctx context.Context, r Range) (state RangeState, why, err error) {
	if r.ID, err = s.newID(); err != nil {
		return RangeState{}, nil, err
	}
	state = RangeState{ID: r.ID, Span: r.Span, Except: r.Except, Complete: true}
	live, ok := r.Live(s.now())
	if !ok {
		return state, nil, nil
	}
	bucket, err := s.registry.Get(ctx, r.Bucket)
	if err != nil {
		return RangeState{}, nil, err
	}
	before, err := s.look(ctx, r, live)
	if err != nil {
		return RangeState{}, nil, err
	}
	dates := before.missing(r, s.now())
	take := r.takes(before, dates)
	if held := before.holders(without(dates, take)); len(held) > 0 {
		return RangeState{}, nil, &HeldError{Product: r.Product, Holders: held}
	}
	out := s.gain(ctx, r, bucket, without(dates, take), take, func(signal.Date) Start { return r.Start })
	if out.done() {
		return state, nil, nil
	}
	reading, stop := detached(ctx)
	defer stop()
	after, readErr := s.look(reading, r, live)
	if readErr != nil {
		after = out.onTopOf(before, r)
	}
	state.Missing = after.missing(r, s.now())
	switch unknown := readErr != nil && out.unknown; {
	case len(state.Missing) == 0:
		return state, nil, nil
	case len(after.own) == 0 && !unknown:
		return RangeState{}, nil, reason(r.Product, state.Missing, after, out.failed)
	}
	return state, reason(r.Product, state.Missing, after, out.failed), nil
}

// takes are those signals on some dates that a range may adopt.
func (r Range) takes(found survey, dates []signal.Date) []Seeded {
	var take []Seeded
	for _, d := range dates {
		if is, ok := found.free[d]; ok && r.Adopt {
			take = append(take, is)
		}
	}
	return take
}

// without are the dates, both in order, on which none of the signals stands.
func without(dates []signal.Date, signals []Seeded) []signal.Date {
	rest := make([]signal.Date, 0, len(dates))
	for _, d := range dates {
		if _, on := slices.BinarySearchFunc(signals, d, func(s Seeded, d signal.Date) int { return s.Date.Compare(d) }); !on {
			rest = append(rest, d)
		}
	}
	return rest
}
