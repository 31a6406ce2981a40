package dynamo

import (
	"context"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// survey is what a product's partition holds, as a range sees it.
type survey struct {
	// own are the range's signals, held the items of all others.
	own  map[signal.Date]Seeded
	held map[signal.Date]Holder
}

// look reads a product's partition between two dates, strongly consistent. attrs
// are what to read of each item beside its date and owner.
func (s *Seeder) look(ctx context.Context, p signal.Product, id string, span Span, attrs ...string) (survey, error) {
	return s.survey(ctx, p, id, Query{
		Hash: signal.AttrPK, Partition: p.PK(),
		Range: signal.AttrSK, From: span.First.String(), To: span.Last.String(),
		Attrs: append([]string{signal.AttrSK, signal.AttrSchema, signal.AttrGlobalID, signal.AttrSeededBy}, attrs...),
	})
}

// lookEverywhere reads a product's whole partition.
func (s *Seeder) lookEverywhere(ctx context.Context, p signal.Product, id string) (survey, error) {
	return s.survey(ctx, p, id, Query{Hash: signal.AttrPK, Partition: p.PK(), Attrs: signal.SeederReads()})
}

func (s *Seeder) survey(ctx context.Context, p signal.Product, id string, q Query) (survey, error) {
	found := survey{own: map[signal.Date]Seeded{}, held: map[signal.Date]Holder{}}
	for item, err := range s.store.Query(ctx, q) {
		if err != nil {
			return survey{}, err
		}
		d, err := signal.ParseDate(item.Text(signal.AttrSK))
		if err != nil {
			// Whatever it is, it stands in no date's way.
			continue
		}
		if h := parseHolder(d, item); !h.Signal() || h.SeededBy != Owner(id) {
			found.held[d] = h
			continue
		}
		found.own[d] = parseSeeded(signal.ProductDate{Product: p, Date: d}, item)
	}
	return found, nil
}

// owned are the attributes that are compared with what is wanted.
func owned() []string { return []string{signal.AttrGSIPK, signal.AttrPattern, signal.AttrExpiry} }

// missing are the dates of a span without a signal of the range's own, in order.
func (f survey) missing(span Span) []signal.Date {
	var dates []signal.Date
	for d := span.First; span.Contains(d); d = d.AddDays(1) {
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

// dates are the dates of the range's own signals, in order.
func (f survey) dates() []signal.Date {
	dates := make([]signal.Date, 0, len(f.own))
	for d := range f.own {
		dates = append(dates, d)
	}
	slices.SortFunc(dates, signal.Date.Compare)
	return dates
}
