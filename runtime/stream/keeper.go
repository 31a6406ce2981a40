package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Owner is the seededBy of the signals that are kept by the stream.
const Owner = "stream"

const (
	// mostRounds is how often a date is looked at again: each time something else
	// has changed it, or what it follows from, between a look and the write.
	mostRounds = 8
	// datesAtOnce are few, because dirty signals of one bucket share a partition of
	// the index.
	datesAtOnce = 8
)

// ErrUnsettled: a date's items or its signal have changed at every look.
var ErrUnsettled = errors.New("the platform's items or the signal keep changing")

// Signals are the signals' table, as *dynamo.Steward has it.
type Signals interface {
	Owner() string
	Look(context.Context, signal.ProductDate) (is dynamo.Standing, ok bool, err error)
	LookFrom(context.Context, signal.Product, signal.Date) (map[signal.Date]dynamo.Standing, error)
	Bucket(ctx context.Context, name string) (signal.Bucket, error)
	Seed(context.Context, signal.ProductDate, dynamo.Terms, signal.Bucket) error
	Update(context.Context, dynamo.Standing, dynamo.Terms, signal.Bucket) error
	Adopt(context.Context, dynamo.Standing, dynamo.Terms, signal.Bucket) error
	Delete(context.Context, dynamo.Standing) error
}

// Platform is the table that has products and their dates, as *dynamo.Store has
// it.
type Platform interface {
	Get(ctx context.Context, key signal.Key, attrs ...string) (signal.Item, error)
	Query(context.Context, dynamo.Query) iter.Seq2[signal.Item, error]
}

// Flipper flips signals, as *flip.Client does.
type Flipper interface {
	Flip(context.Context, signal.Key) error
}

// Keeper makes signals what the platform's items call for. All of its fields but
// Defaults must be set.
type Keeper struct {
	Signals  Signals
	Platform Platform
	Flips    Flipper
	Defaults Defaults
	// Now is the clock.
	Now func() time.Time
}

// Known is whether there is anything of a product: its own item, a date of it, or a
// signal, be they over or not.
func (k *Keeper) Known(ctx context.Context, p signal.Product) (bool, error) {
	item, err := k.Platform.Get(ctx, p.ItemKey(), signal.AttrPK)
	if err != nil || item != nil {
		return item != nil, err
	}
	for _, pk := range p.DatePKs() {
		for _, err := range k.Platform.Query(ctx, dynamo.Query{Hash: signal.AttrPK, Partition: pk, Attrs: []string{signal.AttrPK}, Limit: 1}) {
			return err == nil, err
		}
	}
	there, err := k.Signals.LookFrom(ctx, p, signal.Date{Year: 1, Month: 1, Day: 1})
	return len(there) > 0, err
}

// scope is what is kept: a date of a product, or all that it has from today on.
type scope struct {
	product signal.Product
	// date is zero for all.
	date signal.Date
}

func (s scope) whole() bool { return s.date == signal.Date{} }

// kept is what came of keeping a scope.
type kept struct {
	// steps are what was done, planned, or left, in order.
	steps []Step
	// unchanged is how many dates were as they should be.
	unchanged int
	// zoneless is whether the product is there and says no zone.
	zoneless bool
}

// session is what one batch, or one sync, has in common.
type session struct {
	*Keeper
	mode
	buckets buckets
}

func (k *Keeper) session(m mode) *session {
	return &session{Keeper: k, mode: m, buckets: buckets{get: k.Signals.Bucket, known: map[string]bucketOrError{}}}
}

// keep makes the signals of a scope what the platform's items call for. An error
// is one of reading; those of writing are in the steps.
func (s *session) keep(ctx context.Context, sc scope) (kept, error) {
	var (
		out   kept
		again map[signal.Date]bool
	)
	for round := 1; ; round++ {
		plan, err := s.plan(ctx, sc, again)
		if err != nil {
			return out, err
		}
		if round == 1 {
			out.unchanged, out.zoneless = plan.unchanged, plan.zoneless
		}
		// What was written once and need not be written again is settled.
		if round > 1 {
			plan.steps = slices.DeleteFunc(plan.steps, func(st Step) bool { return st.Action == Flip })
		}
		if round > mostRounds {
			for _, st := range plan.steps {
				if st.writes() {
					st.Err = fmt.Errorf("%s %q: %w", st.Action, st.ProductDate, ErrUnsettled)
				}
				out.steps = append(out.steps, st)
			}
			return out, nil
		}
		again = s.carryOut(ctx, plan.steps)
		out.steps = append(out.steps, plan.steps...)
		if len(again) == 0 {
			return out, nil
		}
	}
}

// plan reads what there is and says what is to be done, in order of the dates: of
// the whole scope, or of some dates of it.
func (s *session) plan(ctx context.Context, sc scope, only map[signal.Date]bool) (kept, error) {
	v, err := s.look(ctx, sc)
	if err != nil {
		return kept{}, err
	}
	out := kept{zoneless: v.product.item != nil && v.product.fault == nil && !v.product.zoned}
	now := s.Now()
	for _, d := range v.dates() {
		if only != nil && !only[d] {
			continue
		}
		w := v.product.wish(d, v.items[d], s.Defaults)
		var bucket signal.Bucket
		if w.present && w.unmet == nil && !w.expired(now) {
			bucket, err = s.buckets.bucket(ctx, w.terms.Bucket)
			switch {
			case err != nil && !unusable(err):
				return kept{}, err
			case err != nil:
				w.unmet = err
			}
		}
		is, there := v.signals[d]
		st := s.decide(w, is, there, bucket, s.Signals.Owner(), now)
		st.ProductDate = signal.ProductDate{Product: sc.product, Date: d}
		if st.Action == Nothing {
			out.unchanged++
			continue
		}
		out.steps = append(out.steps, st)
	}
	return out, nil
}

// carryOut does what the steps say, and returns the dates to look at again: those
// that were written, or that others had changed.
func (s *session) carryOut(ctx context.Context, steps []Step) map[signal.Date]bool {
	var mu sync.Mutex
	again := map[signal.Date]bool{}
	inParallel(len(steps), datesAtOnce, func(i int) {
		st := &steps[i]
		err := s.do(ctx, *st)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, dynamo.ErrRaced), err == nil && st.writes():
			if err != nil {
				// It has done nothing.
				st.Action = Nothing
			}
			again[st.Date] = true
		case errors.Is(err, dynamo.ErrExpired):
			st.Action = Nothing
		default:
			st.Err = err
		}
	})
	return again
}

func (s *session) do(ctx context.Context, st Step) error {
	if err := context.Cause(ctx); err != nil && (st.writes() || st.Action == Flip) {
		return fmt.Errorf("%s %q: not begun: %w", st.Action, st.ProductDate, err)
	}
	switch st.Action {
	case Seed:
		return s.Signals.Seed(ctx, st.ProductDate, st.terms, st.bucket)
	case Update:
		return s.Signals.Update(ctx, st.is, st.terms, st.bucket)
	case Adopt, TakeOver:
		return s.Signals.Adopt(ctx, st.is, st.terms, st.bucket)
	case Delete:
		return s.Signals.Delete(ctx, st.is)
	case Flip:
		return s.Flips.Flip(ctx, st.Key())
	}
	return nil
}

// view is what there is in a scope.
type view struct {
	product product
	items   map[signal.Date]signal.Item
	signals map[signal.Date]dynamo.Standing
}

// dates are all of which there is anything, in order.
func (v view) dates() []signal.Date {
	all := maps.Clone(v.signals)
	for d := range v.items {
		if _, ok := all[d]; !ok {
			all[d] = dynamo.Standing{}
		}
	}
	return slices.SortedFunc(maps.Keys(all), signal.Date.Compare)
}

// look reads what there is, strongly consistent.
func (s *session) look(ctx context.Context, sc scope) (view, error) {
	item, err := s.Platform.Get(ctx, sc.product.ItemKey(), signal.AttrPK, signal.AttrTimezone, signal.AttrIsDeleted, signal.AttrPattern)
	if err != nil {
		return view{}, err
	}
	v := view{product: newProduct(sc.product, item)}
	if sc.whole() {
		err := s.lookFrom(ctx, &v, v.product.today(s.Now()))
		return v, err
	}
	v.items, v.signals = map[signal.Date]signal.Item{}, map[signal.Date]dynamo.Standing{}
	for _, pk := range sc.product.DatePKs() {
		key := signal.Key{PK: pk, SK: sc.date.String()}
		item, err := s.Platform.Get(ctx, key, signal.AttrPK, signal.AttrIsDeleted, signal.AttrPattern)
		if err != nil {
			return view{}, err
		}
		if item != nil {
			v.items[sc.date] = item
			break
		}
	}
	is, ok, err := s.Signals.Look(ctx, signal.ProductDate{Product: sc.product, Date: sc.date})
	if err != nil {
		return view{}, err
	}
	if ok {
		v.signals[sc.date] = is
	}
	return v, nil
}

func (s *session) lookFrom(ctx context.Context, v *view, from signal.Date) (err error) {
	v.items = map[signal.Date]signal.Item{}
	for _, pk := range v.product.DatePKs() {
		q := dynamo.Query{
			Hash: signal.AttrPK, Partition: pk,
			Range: signal.AttrSK, From: from.String(), To: lastDate,
			Attrs: []string{signal.AttrSK, signal.AttrIsDeleted, signal.AttrPattern},
		}
		for item, err := range s.Platform.Query(ctx, q) {
			if err != nil {
				return err
			}
			d, err := signal.ParseDate(item.Text(signal.AttrSK))
			if err != nil {
				// Whatever it is, it is no date's.
				continue
			}
			if _, ok := v.items[d]; !ok {
				v.items[d] = item
			}
		}
	}
	v.signals, err = s.Signals.LookFrom(ctx, v.product.Product, from)
	return err
}

// lastDate sorts after every date that there is.
const lastDate = "9999-12-31"

// buckets are the registered buckets that have been asked for so far.
type buckets struct {
	get func(ctx context.Context, name string) (signal.Bucket, error)

	mu    sync.Mutex
	known map[string]bucketOrError
}

type bucketOrError struct {
	bucket signal.Bucket
	err    error
}

// bucket is a registered bucket. What may pass is not remembered.
func (b *buckets) bucket(ctx context.Context, name string) (signal.Bucket, error) {
	b.mu.Lock()
	is, ok := b.known[name]
	b.mu.Unlock()
	if ok {
		return is.bucket, is.err
	}
	is.bucket, is.err = b.get(ctx, name)
	if is.err == nil || unusable(is.err) {
		b.mu.Lock()
		b.known[name] = is
		b.mu.Unlock()
	}
	return is.bucket, is.err
}

// unusable is whether a bucket's registry item is what is wrong.
func unusable(err error) bool {
	return errors.Is(err, dynamo.ErrNotRegistered) || errors.Is(err, signal.ErrFormat) || errors.Is(err, signal.ErrRegistry)
}

// inParallel calls f for 0 to n-1, some at once, and returns when all have
// returned.
func inParallel(n, atOnce int, f func(i int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range min(n, atOnce) {
		all.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}
