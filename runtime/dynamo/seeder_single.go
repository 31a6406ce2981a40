package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Create seeds one signal under a new globalId, as its own owner. An error means
// that it is not there: what may have been written is taken back; only if that
// fails too is the error a *LeftoverError. Other errors: ErrExpired,
// ErrNotRegistered, *HeldError.
func (s *Seeder) Create(ctx context.Context, d signal.ProductDate, want Terms, start Start) (Seeded, error) {
	bucket, err := s.registry.Get(ctx, want.Bucket)
	if err != nil {
		return Seeded{}, err
	}
	return s.seed(ctx, "", d, want, bucket, start)
}

// seed seeds one signal of an owner's, or of its own if there is none.
func (s *Seeder) seed(ctx context.Context, owner string, d signal.ProductDate, want Terms, bucket signal.Bucket, start Start) (Seeded, error) {
	now := s.now()
	if !want.Expiry.After(now) {
		return Seeded{}, fmt.Errorf("seed %q: its expiry is %s: %w", d, signal.FormatInstant(want.Expiry), ErrExpired)
	}
	id, err := s.newID()
	if err != nil {
		return Seeded{}, err
	}
	want.Pattern.Cadence = bucket.Cadence
	if owner == "" {
		owner = Owner(id)
	}
	made := Seeded{ProductDate: d, GlobalID: id, SeededBy: owner, Terms: want, Stored: want.Pattern.Value()}
	err = s.write(ctx, protocol.Seed(made.seeding(bucket, start), now))
	if err == nil {
		return made, nil
	}
	return s.settleCreate(ctx, made, err)
}

func (s Seeded) seeding(bucket signal.Bucket, start Start) protocol.Seeding {
	return protocol.Seeding{
		ProductDate: s.ProductDate,
		GSIPK:       bucket.GSIPK(s.Key()),
		GlobalID:    s.GlobalID,
		Pattern:     s.Pattern,
		Expiry:      s.Expiry,
		SeededBy:    s.SeededBy,
		Value:       start.Value,
		Dirty:       start.Dirty,
	}
}

// settleCreate finds out what became of a seeding that ended in an error.
func (s *Seeder) settleCreate(ctx context.Context, made Seeded, failed error) (Seeded, error) {
	refused, isRefusal := errors.AsType[*RefusedError](failed)
	item, readErr := signal.Item(nil), error(nil)
	if isRefusal {
		item = refused.Old
	} else {
		reading, stop := detached(ctx)
		defer stop()
		item, readErr = s.store.Get(reading, made.Key(), signal.SeederReads()...)
	}
	switch {
	case readErr == nil && item.Text(signal.AttrGlobalID) == made.GlobalID:
		return made, nil
	case readErr == nil && item != nil:
		return Seeded{}, &HeldError{Product: made.Product, Holders: []Holder{parseHolder(made.Date, item)}}
	case readErr == nil, NothingWritten(failed):
		return Seeded{}, failed
	}
	takingBack, stop := detached(ctx)
	defer stop()
	err := s.write(takingBack, protocol.DeleteBySeeder(made.Key(), made.identity()))
	if err == nil || errors.Is(err, ErrRefused) {
		return Seeded{}, failed
	}
	return Seeded{}, &LeftoverError{Seeded: made, err: failed}
}

// Read reads one signal. The error is ErrGone if there is none, *NotOursError if
// the item is no signal, or ErrTableNotFound.
func (s *Seeder) Read(ctx context.Context, d signal.ProductDate) (Seeded, error) {
	item, err := s.store.Get(ctx, d.Key(), signal.SeederReads()...)
	switch {
	case err != nil:
		return Seeded{}, err
	case item == nil:
		return Seeded{}, fmt.Errorf("read %q in table %q: %w", d, s.store.table, ErrGone)
	case item.Text(signal.AttrSchema) != signal.SchemaSignal:
		return Seeded{}, &NotOursError{parseHolder(d.Date, item)}
	}
	return parseSeeded(d, item), nil
}

// Update makes the terms of one's own signal the wanted ones and writes nothing
// if they are already. Moving it to another bucket leaves bit and value; a pattern
// that makes other values of estimates flips it in the same write. The error is
// ErrGone, *NotOursError, ErrNotRegistered, or one of reading and writing, after
// which a repeat does what is left.
func (s *Seeder) Update(ctx context.Context, d signal.ProductDate, globalID string, want Terms) (Seeded, error) {
	is, err := s.own(ctx, d, globalID)
	if err != nil {
		return Seeded{}, err
	}
	if _, changes := is.change(want, signal.Bucket{}); !changes {
		return is, nil
	}
	bucket, err := s.registry.Get(ctx, want.Bucket)
	if err != nil {
		return Seeded{}, err
	}
	if err := s.update(ctx, is, want, bucket); err != nil {
		return Seeded{}, err
	}
	is.Terms = want
	return is, nil
}

// own reads a single signal of one's own.
func (s *Seeder) own(ctx context.Context, d signal.ProductDate, globalID string) (Seeded, error) {
	is, err := s.Read(ctx, d)
	if err != nil {
		return Seeded{}, err
	}
	if is.GlobalID != globalID || !is.Own() {
		return Seeded{}, &NotOursError{Holder{Date: d.Date, Schema: signal.SchemaSignal, GlobalID: is.GlobalID, SeededBy: is.SeededBy}}
	}
	return is, nil
}

// update writes the wanted terms to a signal that is as it was read.
func (s *Seeder) update(ctx context.Context, is Seeded, want Terms, bucket signal.Bucket) error {
	change, _ := is.change(want, bucket)
	err := s.write(ctx, protocol.UpdateBySeeder(is.Key(), is.identity(), change, s.now()))
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		if refused.Old == nil {
			return fmt.Errorf("%s %q in table %q: %w", protocol.OpUpdate, is.Key(), s.store.table, ErrGone)
		}
		if is.identity().Of(refused.Old) {
			// The first sending may have been applied and its answer lost.
			if _, changes := parseSeeded(is.ProductDate, refused.Old).change(want, bucket); !changes {
				return nil
			}
			return fmt.Errorf("%s %q in table %q, which has another pattern than a moment ago: %w", protocol.OpUpdate, is.Key(), s.store.table, ErrConflict)
		}
		return &NotOursError{parseHolder(is.Date, refused.Old)}
	}
	if NothingWritten(err) {
		return err
	}
	ctx, stop := detached(ctx)
	defer stop()
	now, readErr := s.Read(ctx, is.ProductDate)
	if readErr != nil || now.GlobalID != is.GlobalID || now.SeededBy != is.SeededBy {
		return err
	}
	if _, changes := now.change(want, bucket); changes {
		return err
	}
	return nil
}

// Delete deletes one's own signal. One that is gone already is no error, and one
// that is somebody else's now is left alone: then the error is a *NotOursError.
func (s *Seeder) Delete(ctx context.Context, d signal.ProductDate, globalID string) error {
	is := Seeded{ProductDate: d, GlobalID: globalID, SeededBy: Owner(globalID)}
	err := s.delete(ctx, is)
	if other, ok := errors.AsType[*NotOursError](err); ok && other.Signal() && other.GlobalID == globalID && other.SeededBy == "" {
		is.SeededBy = ""
		err = s.delete(ctx, is)
	}
	return err
}

func (s *Seeder) delete(ctx context.Context, is Seeded) error {
	err := s.write(ctx, protocol.DeleteBySeeder(is.Key(), is.identity()))
	refused, isRefusal := errors.AsType[*RefusedError](err)
	switch {
	case err == nil:
		return nil
	case isRefusal && refused.Old == nil:
		return nil
	case isRefusal:
		return &NotOursError{parseHolder(is.Date, refused.Old)}
	case NothingWritten(err):
		return err
	}
	ctx, stop := detached(ctx)
	defer stop()
	if item, readErr := s.store.Get(ctx, is.Key(), signal.AttrPK); readErr == nil && item == nil {
		return nil
	}
	return err
}
