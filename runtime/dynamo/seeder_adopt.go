package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// adopt makes a signal that is as it was read an owner's, on the wanted terms; ""
// makes it its own. One that has no globalId is given one.
func (s *Seeder) adopt(ctx context.Context, is Seeded, owner string, want Terms, bucket signal.Bucket) (Seeded, error) {
	next := is
	next.Terms, next.TTLDiffers = want, false
	if is.GlobalID == "" {
		id, err := s.newID()
		if err != nil {
			return Seeded{}, err
		}
		next.GlobalID = id
	}
	if next.SeededBy = owner; owner == "" {
		next.SeededBy = Owner(next.GlobalID)
	}
	change, _ := is.change(want, bucket)
	a := protocol.Adoption{SeededBy: next.SeededBy, GlobalID: next.GlobalID}
	if err := s.rewrite(ctx, protocol.Adopt(is.Key(), is.identity(), a, change, s.now()), is, next, want); err != nil {
		return Seeded{}, err
	}
	return next, nil
}

// rewrite sends a write to a signal that is as it was read, and finds out what has
// become of it: then it is as next, on the wanted terms.
func (s *Seeder) rewrite(ctx context.Context, w protocol.Write, is, next Seeded, want Terms) error {
	err := s.write(ctx, w)
	if err == nil || NothingWritten(err) {
		return err
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		switch {
		case refused.Old == nil:
			return fmt.Errorf("%s %q in table %q: %w", w.Op, w.Key, s.store.table, ErrGone)
		case next.isNow(refused.Old, want):
			// The first sending was applied, and its answer lost.
			return nil
		case is.identity().Of(refused.Old), next.identity().Of(refused.Old):
			return fmt.Errorf("%s %q in table %q, which is not as it was a moment ago: %w", w.Op, w.Key, s.store.table, ErrConflict)
		}
		return &NotOursError{parseHolder(is.Date, refused.Old)}
	}
	ctx, stop := detached(ctx)
	defer stop()
	if item, readErr := s.store.Get(ctx, w.Key, signal.SeederReads()...); readErr == nil && next.isNow(item, want) {
		return nil
	}
	return err
}

// isNow is whether an item is this signal, with nothing left to write.
func (s Seeded) isNow(item signal.Item, want Terms) bool {
	if !s.identity().Of(item) {
		return false
	}
	now := parseSeeded(s.ProductDate, item)
	return !now.differs(want) && !now.TTLDiffers
}
