package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// productsAtOnce are few, because each has dates that are written at once.
const productsAtOnce = 2

// Finder finds items of a table by how their pk begins, as *dynamo.Finder does.
type Finder interface {
	Keys(ctx context.Context, prefixes ...string) iter.Seq2[signal.Key, error]
}

// Sync does for existing products and dates what the stream would have done:
// seeds what is missing, changes what is not as it should be, adopts what nobody
// owns, and deletes its own signals that are of no date any more. It looks at no
// date before today, flips nothing, and leaves others' signals alone unless it is
// told to take over.
type Sync struct {
	Keeper *Keeper
	// Platform finds products and their dates, Signals signals; for a single
	// product neither is used.
	Platform, Signals Finder
}

// Target is what is synced: a product, a collection, or, as the zero Target,
// everything.
type Target struct {
	// Product is zero for a collection or everything.
	Product signal.Product
	// Collection is a collection's id.
	Collection string
}

func (t Target) validate() error {
	if (t.Product != signal.Product{}) {
		if t.Collection != "" {
			return errors.New("sync: give a product or a collection, not both")
		}
		if err := t.Product.Validate(); err != nil {
			return fmt.Errorf("sync: %w", err)
		}
		return nil
	}
	if t.Collection == "" {
		return nil
	}
	if reason := signal.ValidatePart(t.Collection); reason != "" {
		return fmt.Errorf("sync: %w", &signal.PartError{Part: "collection_id", Value: t.Collection, Reason: reason})
	}
	return nil
}

// Options are how a Sync goes about it. The zero Options are a dry run.
type Options struct {
	// Apply writes; without it, what would be written is only returned.
	Apply bool
	// TakeOver makes others' signals of dates that there are the stream's own:
	// Terraform's, and those of other tools.
	TakeOver bool
}

// Plan is what a Sync did, or would do.
type Plan struct {
	// Applied is whether it was done.
	Applied bool
	// Products are in order of their keys; those where nothing is to be done are
	// only counted.
	Products []ProductPlan
	// Unchanged is how many dates of all products were as they should be, and Seen
	// how many products there were.
	Unchanged, Seen int
	// Unreadable are keys of the platform's that say nothing: the first of them.
	Unreadable []string
	// Unknown is whether there is nothing under the target's name, so that it may be
	// misspelt: no product, no date and no signal.
	Unknown bool
}

// ProductPlan is what a Sync did, or would do, about a product.
type ProductPlan struct {
	signal.Product
	Steps []Step
	// Zoneless is whether the product says no time zone.
	Zoneless bool
	// Err is why it could not be read, or nil.
	Err error
}

// Err is the errors of all products and steps, or nil.
func (p Plan) Err() error {
	var all []error
	for _, pp := range p.Products {
		if pp.Err != nil {
			all = append(all, fmt.Errorf("sync %q: %w", pp.Product, pp.Err))
		}
		for _, st := range pp.Steps {
			if st.Err != nil {
				all = append(all, fmt.Errorf("%s %q: %w", st.Action, st.ProductDate, st.Err))
			}
		}
	}
	return errors.Join(all...)
}

// Run syncs a target. The error is that of finding the products; one product's
// keeps none of the others from being synced, and is in the plan (Plan.Err). A
// repeat does what is left.
func (s *Sync) Run(ctx context.Context, t Target, o Options) (Plan, error) {
	if err := t.validate(); err != nil {
		return Plan{}, err
	}
	plan := Plan{Applied: o.Apply}
	products, err := s.products(ctx, t, &plan)
	if err != nil {
		return Plan{}, err
	}
	plan.Seen = len(products)
	session := s.Keeper.session(mode{takeOver: o.TakeOver})
	results, unchanged := make([]ProductPlan, len(products)), make([]int, len(products))
	inParallel(len(products), productsAtOnce, func(i int) {
		k, err := session.sync(ctx, scope{product: products[i]}, o)
		results[i] = ProductPlan{Product: products[i], Steps: k.steps, Zoneless: k.zoneless, Err: err}
		unchanged[i] = k.unchanged
	})
	for i, r := range results {
		plan.Unchanged += unchanged[i]
		if len(r.Steps) > 0 || r.Err != nil || r.Zoneless {
			plan.Products = append(plan.Products, r)
		}
	}
	if len(plan.Products) > 0 || plan.Unchanged > 0 {
		return plan, nil
	}
	plan.Unknown, err = s.unknown(ctx, t, plan)
	return plan, err
}

// unknown is whether a target of which there is nothing to do is not there at all.
func (s *Sync) unknown(ctx context.Context, t Target, plan Plan) (bool, error) {
	if (t.Product == signal.Product{}) {
		return plan.Seen == 0, nil
	}
	known, err := s.Keeper.Known(ctx, t.Product)
	return !known, err
}

func (s *session) sync(ctx context.Context, sc scope, o Options) (kept, error) {
	if err := context.Cause(ctx); err != nil {
		return kept{}, err
	}
	if o.Apply {
		return s.keep(ctx, sc)
	}
	return s.plan(ctx, sc, nil)
}

// products are the target's, in order of their keys: those that there are, and
// those of which there are dates or signals.
func (s *Sync) products(ctx context.Context, t Target, plan *Plan) ([]signal.Product, error) {
	if (t.Product != signal.Product{}) {
		return []signal.Product{t.Product}, nil
	}
	under := func(schema string) string {
		if t.Collection == "" {
			return schema + "::"
		}
		return schema + "::" + t.Collection + "::"
	}
	found := map[string]signal.Product{}
	for key, err := range s.Platform.Keys(ctx, under(signal.SchemaProduct), under(signal.SchemaProductDate)) {
		if err != nil {
			return nil, fmt.Errorf("find products: %w", err)
		}
		o, err := signal.ParseOrigin(key)
		if err != nil {
			if len(plan.Unreadable) < mostNamed {
				plan.Unreadable = append(plan.Unreadable, key.String())
			}
			continue
		}
		found[o.PK()] = o.Product
	}
	for key, err := range s.Signals.Keys(ctx, under(signal.SchemaSignal)) {
		if err != nil {
			return nil, fmt.Errorf("find signals: %w", err)
		}
		if d, err := signal.ParseKey(key); err == nil {
			found[d.PK()] = d.Product
		}
	}
	products := make([]signal.Product, 0, len(found))
	for _, pk := range slices.Sorted(maps.Keys(found)) {
		products = append(products, found[pk])
	}
	return products, nil
}
