// Package capacity is the arithmetic of a platform's size: how many units, shards,
// functions and dollars its signals take, what limits them first, and what other
// ways to show availability would cost. It measures nothing; the units of an
// operation are those that the simulator counts, which a test holds together.
package capacity

import (
	"errors"
	"fmt"
	"math"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Way is how a booking flips its signal.
type Way string

// The ways of the guide on guarantees.
const (
	// Coalesced reads first, and writes only what needs it.
	Coalesced Way = "coalesced"
	// Blind writes always.
	Blind Way = "blind"
	// Transaction writes inside the booking's transaction, and coalesced after it.
	Transaction Way = "transaction"
	// Stream is coalesced, by the function that reads the table's stream.
	Stream Way = "stream"
)

// Platform is what there is, and how it is used.
type Platform struct {
	// Signals is how many there are, Buckets how many share them evenly.
	Signals float64
	Buckets int
	// CadenceMinutes is the buckets' cadence.
	CadenceMinutes float64
	// Bookings are changes of inventory a second. They fall evenly on Active
	// signals, on all for 0, which is the dearest: nothing coalesces less.
	Bookings, Active float64
	// Views are calendar views a second, each of Dates dates of a product.
	Views float64
	Dates int
	Way   Way
	// AllCadence and AllGlobalID are indexes that a platform had before, with
	// projection ALL.
	AllCadence, AllGlobalID bool
	// WriteBudget and Concurrency are the buckets' check settings.
	WriteBudget, Concurrency int
	// StalenessHours is their max_staleness; 0 is no audit.
	StalenessHours float64
	// CheckMS is how long a check takes: a claim, a read of the source, a finish.
	CheckMS float64
	// MemoryMiB is the function's memory.
	MemoryMiB float64
	// ItemBytes is the size of a signal's item.
	ItemBytes float64
}

// Example is the platform of the guide on scaling.
func Example() Platform {
	checks := signal.DefaultChecks()
	return Platform{
		Signals: 10_000_000, Buckets: 50, CadenceMinutes: 5, Bookings: 5000, Views: 50_000, Dates: 30, Way: Coalesced,
		WriteBudget: checks.WriteBudget, Concurrency: checks.Concurrency, StalenessHours: checks.MaxStaleness.Hours(),
		CheckMS: 20, MemoryMiB: 256, ItemBytes: 600,
	}
}

// Validate says what is no platform.
func (p Platform) Validate() error {
	var faults []error
	for name, v := range map[string]float64{
		"signals": p.Signals, "buckets": float64(p.Buckets), "cadence": p.CadenceMinutes, "budget": float64(p.WriteBudget),
		"concurrency": float64(p.Concurrency), "dates": float64(p.Dates), "check": p.CheckMS, "memory": p.MemoryMiB, "item": p.ItemBytes,
	} {
		if v <= 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			faults = append(faults, fmt.Errorf("%s must be above 0", name))
		}
	}
	for name, v := range map[string]float64{"bookings": p.Bookings, "views": p.Views, "active": p.Active, "staleness": p.StalenessHours} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			faults = append(faults, fmt.Errorf("%s must not be below 0", name))
		}
	}
	if p.Active > p.Signals {
		faults = append(faults, errors.New("active signals cannot be more than there are"))
	}
	switch p.Way {
	case Coalesced, Blind, Transaction, Stream:
	default:
		faults = append(faults, fmt.Errorf("way %q: expected coalesced, blind, transaction or stream", p.Way))
	}
	return errors.Join(faults...)
}

// tick is the cadence in seconds.
func (p Platform) tick() float64 { return p.CadenceMinutes * 60 }

// Dirty is how many signals become dirty between two ticks: those that at least
// one of the bookings falls on.
func (p Platform) Dirty() float64 { return distinct(p.Bookings*p.tick(), p.active()) }

func (p Platform) active() float64 {
	if p.Active > 0 {
		return p.Active
	}
	return p.Signals
}

// distinct is how many of so many things are met by so many events, each of which
// meets any.
func distinct(events, things float64) float64 { return things * -math.Expm1(-events/things) }
