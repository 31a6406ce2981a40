package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// survey is what a product's partition holds, as a range sees it.
type survey struct {
	// own are the range's signals, held the items of all others.
	own  map[signal.Date]Seeded
	held map[signal.Date]Holder
	// free are those of the held ones that are signals of nobody's or the
	// stream's.
	free map[signal.Date]Seeded
}

// look reads a range's product's partition between two dates, strongly consistent.
func (s *Seeder) look(ctx context.Context, r Range, span Span) (survey, error) {
	var queries []Query
	for _, part := range span.parts(partsAtOnce, leastPart) {
		queries = append(queries, Query{
			Hash: signal.AttrPK, Partition: r.PK(),
			Range: signal.AttrSK, From: part.First.String(), To: part.Last.String(),
			Attrs: signal.SeederReads(),
		})
	}
	return s.survey(ctx, r.Product, r.ID, queries...)
}

// lookEverywhere reads a product's whole partition.
func (s *Seeder) lookEverywhere(ctx context.Context, p signal.Product, id string) (survey, error) {
	return s.survey(ctx, p, id, Query{Hash: signal.AttrPK, Partition: p.PK(), Attrs: signal.SeederReads()})
}

const (
	// partsAtOnce is in how many parts a long span is read at once: its pages can be
	// asked for one after the other only, and each takes its time.
	partsAtOnce = 4
	// leastPart is about half of what is in a page. A part costs as much as its bytes
	// do anyway, and a read unit more at most.
	leastPart = 1000
)

// parts are a span's, as even as can be, so many at most, and none of fewer dates
// than least but the only one.
func (s Span) parts(most, least int) []Span {
	n := max(1, min(most, s.Days()/least))
	parts := make([]Span, n)
	for i := range parts {
		parts[i] = Span{s.First.AddDays(i * s.Days() / n), s.First.AddDays((i+1)*s.Days()/n - 1)}
	}
	return parts
}

// survey reads what queries find, all at once.
func (s *Seeder) survey(ctx context.Context, p signal.Product, id string, queries ...Query) (survey, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		once  sync.Once
		first error
	)
	parts := make([]survey, len(queries))
	err := inParallel(ctx, len(queries), len(queries), func(ctx context.Context, i int) (err error) {
		if parts[i], err = s.surveyOf(ctx, p, id, queries[i]); err != nil {
			once.Do(func() { first = err })
			// The others need not go on, and say no more than that they were stopped.
			stop()
		}
		return err
	})
	switch {
	case first != nil:
		return survey{}, first
	case err != nil:
		return survey{}, fmt.Errorf("query %q in table %q: %w", p.PK(), s.store.table, err)
	}
	found := parts[0]
	for _, part := range parts[1:] {
		maps.Copy(found.own, part.own)
		maps.Copy(found.held, part.held)
		maps.Copy(found.free, part.free)
	}
	return found, nil
}

func (s *Seeder) surveyOf(ctx context.Context, p signal.Product, id string, q Query) (survey, error) {
	found := survey{own: map[signal.Date]Seeded{}, held: map[signal.Date]Holder{}, free: map[signal.Date]Seeded{}}
	var last Seeded
	for item, err := range s.store.Query(ctx, q) {
		if err != nil {
			return survey{}, err
		}
		d, err := signal.ParseDate(item.Text(signal.AttrSK))
		if err != nil {
			// Whatever it is, it stands in no date's way.
			continue
		}
		h := parseHolder(d, item)
		if h.Signal() {
			// Thousands of dates have one pattern.
			last = parseSeededLike(last, signal.ProductDate{Product: p, Date: d}, item)
		}
		switch {
		case h.Signal() && h.SeededBy == Owner(id):
			found.own[d] = last
			continue
		case h.Adoptable():
			found.free[d] = last
		}
		found.held[d] = h
	}
	return found, nil
}

// nobodys is whether a signal that has no owner stands on a date.
func (f survey) nobodys(d signal.Date) bool {
	is, ok := f.free[d]
	return ok && is.SeededBy == ""
}

// state is what there is of a range. A signal without an owner, on a date that
// the range had before, is its own and has lost it.
func (f survey) state(had, r Range, now time.Time) RangeState {
	state := RangeState{ID: r.ID, Span: r.Span, Except: r.Except, Complete: true}
	repairs := map[string]bool{}
	for d := range r.Dates(now) {
		is, ok := f.own[d]
		if !ok && had.Has(d) && f.nobodys(d) {
			is, ok = f.free[d], true
		}
		if !ok {
			state.Missing = append(state.Missing, d)
			continue
		}
		want := r.terms(d)
		if r.ZoneGuessed && !is.Expiry.IsZero() && !is.Expiry.Equal(want.Expiry) {
			state.ZoneDiffers = true
			want.Expiry = is.Expiry
		}
		if is.differs(want) {
			state.Drifted = append(state.Drifted, d)
		}
		for _, attr := range is.Repairs() {
			repairs[attr] = true
		}
	}
	for _, attr := range repairable() {
		if repairs[attr] {
			state.Repairs = append(state.Repairs, attr)
		}
	}
	return state
}

// missing are the dates of a range without a signal of its own.
func (f survey) missing(r Range, now time.Time) []signal.Date {
	var dates []signal.Date
	for d := range r.Dates(now) {
		if _, ok := f.own[d]; !ok {
			dates = append(dates, d)
		}
	}
	return dates
}

// holders are the others' items on some dates.
func (f survey) holders(dates []signal.Date) []Holder {
	var held []Holder
	for _, d := range dates {
		if h, ok := f.held[d]; ok {
			held = append(held, h)
		}
	}
	return held
}

// signals are the range's own on some dates.
func (f survey) signals(dates []signal.Date) []Seeded {
	var own []Seeded
	for _, d := range dates {
		if is, ok := f.own[d]; ok {
			own = append(own, is)
		}
	}
	return own
}

// left is what a deletion has left on the dates where it was refused, in order.
func (f survey) left(refused []signal.Date) []Holder {
	left := f.holders(refused)
	for _, is := range f.signals(refused) {
		left = append(left, is.Holder())
	}
	slices.SortFunc(left, func(a, b Holder) int { return a.Date.Compare(b.Date) })
	return left
}

// dates are the dates of the range's own signals, in order.
func (f survey) dates() []signal.Date {
	dates := make([]signal.Date, 0, len(f.own))
	for d := range f.own {
		dates = append(dates, d)
	}
	slices.SortFunc(dates, signal.Date.Compare)
	return dates
}
