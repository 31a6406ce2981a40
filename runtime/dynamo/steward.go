package dynamo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Steward seeds, changes, adopts and deletes signals one by one, all under one
// owner's name. Unlike a Seeder's, its callers have looked at each signal first,
// and look again after each write: what has changed meanwhile is ErrRaced.
type Steward struct {
	seeder *Seeder
	owner  string
}

// ErrRaced: the signal is not as it was when it was looked at; nothing was
// written.
var ErrRaced = errors.New("changed meanwhile")

// NewSteward returns the steward of an owner's signals in a table; the owner is
// what they have as seededBy. random is as for NewSeeder.
func NewSteward(api SeederAPI, table, owner string, now func() time.Time, random io.Reader) *Steward {
	return &Steward{seeder: NewSeeder(api, table, now, random), owner: owner}
}

// Owner is the seededBy of its signals.
func (s *Steward) Owner() string { return s.owner }

// Standing is the item that stands at a signal's key.
type Standing struct {
	Seeded
	// Signal is whether it is a signal at all.
	Signal bool
	// Schema is its schema, "" if that is none.
	Schema string
	// Odd is why nobody can tell whose it is, so that nobody can adopt it; "" for
	// all that are as they should be.
	Odd string
}

// Nobodys is whether the signal has no owner.
func (s Standing) Nobodys() bool { return s.SeededBy == "" && s.Odd == "" }

func parseStanding(d signal.ProductDate, item signal.Item) Standing {
	s := Standing{Seeded: parseSeeded(d, item), Schema: item.Text(signal.AttrSchema)}
	s.Signal = s.Schema == signal.SchemaSignal
	for _, attr := range []string{signal.AttrGlobalID, signal.AttrSeededBy} {
		if item[attr].Exists() && item.Text(attr) == "" {
			s.Odd = "its " + attr + " is no text"
		}
	}
	return s
}

// Look reads what stands at a signal's key, strongly consistent; ok is false if
// nothing does.
func (s *Steward) Look(ctx context.Context, d signal.ProductDate) (is Standing, ok bool, err error) {
	item, err := s.seeder.store.Get(ctx, d.Key(), signal.SeederReads()...)
	if err != nil || item == nil {
		return Standing{}, false, err
	}
	return parseStanding(d, item), true, nil
}

// LookFrom reads what stands at a product's signals' keys from a date on, strongly
// consistent.
func (s *Steward) LookFrom(ctx context.Context, p signal.Product, from signal.Date) (map[signal.Date]Standing, error) {
	found := map[signal.Date]Standing{}
	q := Query{
		Hash: signal.AttrPK, Partition: p.PK(),
		Range: signal.AttrSK, From: from.String(), To: lastDate,
		Attrs: signal.SeederReads(),
	}
	for item, err := range s.seeder.store.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		d, err := signal.ParseDate(item.Text(signal.AttrSK))
		if err != nil {
			// Whatever it is, it stands in no date's way.
			continue
		}
		found[d] = parseStanding(signal.ProductDate{Product: p, Date: d}, item)
	}
	return found, nil
}

// lastDate sorts after every date that there is.
const lastDate = "9999-12-31"

// Bucket reads a registered bucket, as Registry.Get does.
func (s *Steward) Bucket(ctx context.Context, name string) (signal.Bucket, error) {
	return s.seeder.registry.Get(ctx, name)
}

// Seed seeds a signal, dirty, where nothing stands. The error may be ErrRaced or
// ErrExpired.
func (s *Steward) Seed(ctx context.Context, d signal.ProductDate, want Terms, bucket signal.Bucket) error {
	// Flips that found nothing were lost.
	_, err := s.seeder.seed(ctx, s.owner, d, want, bucket, Start{Dirty: true})
	return raced(err)
}

// Change is what would make a signal's terms the wanted ones; ok is false if they
// are already.
func (s Standing) Change(want Terms, bucket signal.Bucket) (protocol.Change, bool) {
	return s.change(want, bucket)
}

// Update makes the terms of its own signal the wanted ones. The error may be
// ErrRaced.
func (s *Steward) Update(ctx context.Context, is Standing, want Terms, bucket signal.Bucket) error {
	return raced(s.seeder.update(ctx, is.Seeded, want, bucket))
}

// Adopt makes a signal of another's, or of nobody's, its own, on the wanted terms.
// The error may be ErrRaced.
func (s *Steward) Adopt(ctx context.Context, is Standing, want Terms, bucket signal.Bucket) error {
	id, err := s.seeder.newID()
	if err != nil {
		return err
	}
	change, _ := is.change(want, bucket)
	a := protocol.Adoption{SeededBy: s.owner, GlobalID: id}
	err = s.seeder.write(ctx, protocol.Adopt(is.Key(), is.identity(), a, change, s.seeder.now()))
	refused, isRefusal := errors.AsType[*RefusedError](err)
	switch {
	case err == nil:
		return nil
	case isRefusal && refused.Old.Text(signal.AttrSeededBy) == s.owner:
		// A repeat whose first sending was applied, or another steward of the same
		// owner. The look that follows tells whether the terms are as they should be.
		return nil
	}
	return raced(err)
}

// Delete deletes its own signal. One that is gone already is no error. The error
// may be ErrRaced.
func (s *Steward) Delete(ctx context.Context, is Standing) error {
	return raced(s.seeder.delete(ctx, is.Seeded))
}

// raced turns what others stood in the way of into ErrRaced.
func raced(err error) error {
	for _, class := range []error{ErrRefused, ErrNotOurs, ErrExists, ErrGone, ErrConflict} {
		if errors.Is(err, class) {
			return fmt.Errorf("%w: %w", ErrRaced, err)
		}
	}
	return err
}
