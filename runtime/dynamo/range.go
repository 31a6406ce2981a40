package dynamo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Span is the dates from First to Last, both included.
type Span struct{ First, Last signal.Date }

// Days is how many dates it has; none if Last is before First.
func (s Span) Days() int { return max(s.First.DaysUntil(s.Last)+1, 0) }

// Contains is whether a date is one of them.
func (s Span) Contains(d signal.Date) bool { return d.Compare(s.First) >= 0 && d.Compare(s.Last) <= 0 }

// Hull is the smallest span that has all dates of both.
func (s Span) Hull(t Span) Span {
	if t.First.Compare(s.First) < 0 {
		s.First = t.First
	}
	if t.Last.Compare(s.Last) > 0 {
		s.Last = t.Last
	}
	return s
}

// String renders it as an ISO 8601 interval: 2026-07-04/2026-07-31.
func (s Span) String() string { return s.First.String() + "/" + s.Last.String() }

// Spans joins dates, which are in order, into as few spans as there can be.
func Spans(dates []signal.Date) []Span {
	var spans []Span
	for _, d := range dates {
		if n := len(spans) - 1; n >= 0 && spans[n].Last.DaysUntil(d) == 1 {
			spans[n].Last = d
			continue
		}
		spans = append(spans, Span{d, d})
	}
	return spans
}

// Range is a product's signals on consecutive dates, less exceptions, seeded,
// changed and deleted as one.
type Range struct {
	signal.Product
	Span
	// Except are the dates of the span that are to have no signal, in order.
	Except []signal.Date
	// ID is new for every range and never changes: all its signals have
	// Owner(ID) as their seededBy, which is the condition of every write to them.
	ID string
	// Bucket and Pattern are as in Terms.
	Bucket  string
	Pattern signal.Pattern
	// Zone is where the product's days begin and end, and so when its signals
	// expire.
	Zone *time.Location
	// ZoneGuessed is that the zone is not known for certain, so that an expiry
	// which is not of this zone is no drift.
	ZoneGuessed bool
	// Start is how signals of new dates start. One that a range fills in again is
	// dirty and has no value, because flips that found none were lost.
	Start Start
	// Adopt is whether to make signals that stand on its dates its own, if they
	// are nobody's or the stream's.
	Adopt bool
}

// Has is whether a date is to have a signal of the range.
func (r Range) Has(d signal.Date) bool {
	if !r.Contains(d) {
		return false
	}
	_, excepted := slices.BinarySearchFunc(r.Except, d, signal.Date.Compare)
	return !excepted
}

// Live is the span of the dates that have not expired; ok is false if there are
// none. Nothing is ever written for the others.
func (r Range) Live(now time.Time) (live Span, ok bool) {
	live = r.Span
	// No date ends later than 36 hours after it began in UTC, so most of a long
	// past is passed by at once.
	if long := signal.DateOf(now.UTC()).AddDays(-3); live.First.Compare(long) < 0 {
		live.First = long
	}
	for live.Days() > 0 && !r.expiry(live.First).After(now) {
		live.First = live.First.AddDays(1)
	}
	return live, live.Days() > 0
}

// Dates are those that are to have a signal: neither expired nor excepted.
func (r Range) Dates(now time.Time) iter.Seq[signal.Date] {
	return func(yield func(signal.Date) bool) {
		live, ok := r.Live(now)
		for d := live.First; ok && live.Contains(d); d = d.AddDays(1) {
			if r.Has(d) && !yield(d) {
				return
			}
		}
	}
}

func (r Range) expiry(d signal.Date) time.Time { return signal.Expiry(d, r.Zone) }

func (r Range) terms(d signal.Date) Terms {
	return Terms{Bucket: r.Bucket, Pattern: r.Pattern, Expiry: r.expiry(d)}
}

// RangeState is what there is of a range.
type RangeState struct {
	ID string
	Span
	// Except are the dates of the span that have no signal and are not to have
	// one, in order.
	Except []signal.Date
	// Missing are the dates that should have a signal of the range and have none,
	// in order.
	Missing []signal.Date
	// Drifted are the dates whose signal is in another bucket, or has another
	// pattern or expiry, than the range, in order.
	Drifted []signal.Date
	// Repairs are the other attributes that signals of the range should have, and
	// at least one has not.
	Repairs []string
	// ZoneDiffers is that signals have another expiry than in a guessed zone.
	ZoneDiffers bool
	// Left are the signals that an update should have deleted and has not, because
	// they are somebody else's now, in order.
	Left []Holder
	// Complete is whether all that was asked for has been done, but for Missing.
	Complete bool
}

// ReadRange reads which of a range's dates have their signal, as it should be.
// Those that have expired are not looked at. The error may be ErrTableNotFound.
func (s *Seeder) ReadRange(ctx context.Context, r Range) (RangeState, error) {
	live, ok := r.Live(s.now())
	if !ok {
		return RangeState{ID: r.ID, Span: r.Span, Except: r.Except, Complete: true}, nil
	}
	found, err := s.look(ctx, r, live)
	if err != nil {
		return RangeState{}, fmt.Errorf("read range %s: %w", r.ID, err)
	}
	return found.state(r, r, s.now()), nil
}

// FindRange reads a range of which only the product, the id and the zone are
// known: its dates are those from its first signal to its last, less those in
// between that have none and have not expired; its other terms are those of the
// first signal that has not expired. The error is ErrGone if it has none.
func (s *Seeder) FindRange(ctx context.Context, r Range) (Range, RangeState, error) {
	found, err := s.lookEverywhere(ctx, r.Product, r.ID)
	if err != nil {
		return Range{}, RangeState{}, fmt.Errorf("read range %s: %w", r.ID, err)
	}
	dates := found.dates()
	if len(dates) == 0 {
		return Range{}, RangeState{}, fmt.Errorf("find range %s of %q in table %q: %w", r.ID, r.Product, s.store.table, ErrGone)
	}
	now := s.now()
	r.Span = Span{dates[0], dates[len(dates)-1]}
	like := found.own[dates[0]]
	for _, d := range dates {
		if is := found.own[d]; is.Expiry.After(now) {
			like = is
			break
		}
	}
	r.Bucket, r.Pattern = like.Bucket, like.Pattern
	r.Except = found.state(r, r, now).Missing
	return r, found.state(r, r, now), nil
}

// DeleteRange deletes every signal of a range, wherever in its product's
// partition. What another has taken over or seeded anew meanwhile stays: then the
// error is a *LeftError, and all else is deleted. After any other error a repeat does
// what is left.
func (s *Seeder) DeleteRange(ctx context.Context, p signal.Product, id string) error {
	// Not only between its dates: a run that was killed while it extended the
	// range has left signals that no state knows of.
	found, err := s.lookEverywhere(ctx, p, id)
	if err != nil {
		return fmt.Errorf("read range %s: %w", id, err)
	}
	left, err := s.drop(ctx, p, id, found.signals(found.dates()))
	if err != nil {
		return fmt.Errorf("delete range %s: %w", id, err)
	}
	if len(left) > 0 {
		return fmt.Errorf("delete range %s: %w", id, &LeftError{Holders: left})
	}
	return nil
}

// drop deletes a range's signals that are as they were read. What another has taken
// over or seeded anew meanwhile stays, and is returned in order.
func (s *Seeder) drop(ctx context.Context, p signal.Product, id string, signals []Seeded) ([]Holder, error) {
	refused, err := s.removeDates(ctx, signals)
	if err != nil || len(refused) == 0 {
		return nil, err
	}
	found, err := s.lookEverywhere(ctx, p, id)
	if err != nil {
		return nil, err
	}
	// Of one that has been given another globalId, the range is still the owner.
	if _, err := s.removeDates(ctx, found.signals(refused)); err != nil {
		return nil, err
	}
	if found, err = s.lookEverywhere(ctx, p, id); err != nil {
		return nil, err
	}
	return found.left(refused), nil
}
