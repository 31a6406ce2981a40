package dynamo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var (
	// ErrExpired: the expiry has passed; nothing would ever check the signal.
	ErrExpired = errors.New("already expired")
	// ErrGone: there is no such signal (any more).
	ErrGone = errors.New("not there")
)

// Holder is an item that stands where a seeder wants to write, and whose it is.
type Holder struct {
	Date     signal.Date
	Schema   string
	GlobalID string
	// SeededBy is "" if it is nobody's.
	SeededBy string
}

func parseHolder(d signal.Date, item signal.Item) Holder {
	return Holder{
		Date:     d,
		Schema:   item.Text(signal.AttrSchema),
		GlobalID: textOr(item, signal.AttrGlobalID),
		SeededBy: textOr(item, signal.AttrSeededBy),
	}
}

// Signal is whether it is a signal at all.
func (h Holder) Signal() bool { return h.Schema == signal.SchemaSignal }

// Importable is whether a single resource may take it into its state: it is a
// signal, and either an earlier one of Terraform's own, or nobody's.
func (h Holder) Importable() bool {
	return h.Signal() && h.GlobalID != noText && (h.SeededBy == "" || h.GlobalID != "" && h.SeededBy == Owner(h.GlobalID))
}

// Adoptable is whether a range that adopts may make it its own: it is a signal,
// and nobody's or the stream's.
func (h Holder) Adoptable() bool {
	return h.Signal() && h.GlobalID != noText && (h.SeededBy == "" || h.SeededBy == Stream)
}

func (h Holder) String() string {
	name := "signal " + h.GlobalID
	if h.GlobalID == "" {
		name = "a signal without a globalId"
	}
	switch {
	case h.Schema == "":
		return "an item without a schema"
	case !h.Signal():
		return fmt.Sprintf("an item of schema %q", h.Schema)
	case h.SeededBy == "":
		return name + ", which has no owner"
	default:
		return fmt.Sprintf("%s, seeded by %q", name, h.SeededBy)
	}
}

// HeldError is that there are other items where a seeder wants to seed.
type HeldError struct {
	Product signal.Product
	// Holders are in order of their dates, at least one.
	Holders []Holder
}

// maxNamed is how many of many things a message names.
const maxNamed = 10

func (e *HeldError) Error() string { return "already there: " + named(e.Holders) }

func named(holders []Holder) string {
	var b strings.Builder
	for i, h := range holders {
		if i == maxNamed {
			fmt.Fprintf(&b, "; and %d more", len(holders)-maxNamed)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: %s", h.Date, h)
	}
	return b.String()
}

// Is makes it ErrExists.
func (e *HeldError) Is(target error) bool { return target == ErrExists }

// NotOursError is that a signal which was a seeder's own is somebody else's now:
// seeded again, or taken over.
type NotOursError struct{ Holder }

func (e *NotOursError) Error() string { return "it is another's now: " + e.String() }

// Is makes it ErrNotOurs.
func (e *NotOursError) Is(target error) bool { return target == ErrNotOurs }

// LeftError is that signals were not deleted with their range, because they are
// somebody else's now.
type LeftError struct {
	// Holders are in order of their dates, at least one.
	Holders []Holder
}

func (e *LeftError) Error() string { return "left alone: " + named(e.Holders) }

// Is makes it ErrNotOurs.
func (e *LeftError) Is(target error) bool { return target == ErrNotOurs }

// LeftoverError is that seeding failed, that it is not known whether the signal
// is there, and that it could not be taken back.
type LeftoverError struct {
	Seeded Seeded
	err    error
}

func (e *LeftoverError) Error() string { return e.err.Error() }

// Unwrap is why it failed.
func (e *LeftoverError) Unwrap() error { return e.err }
