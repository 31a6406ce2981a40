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

// What a number may be at most: more is a slip of the hand, and not reckoned with.
const (
	mostOfAny  = 1e12
	mostCount  = 1e6
	mostMemory = 10_240
	mostItem   = 400 << 10
	mostYears  = 10 * 365 * 24
)

// Validate says what is no platform.
func (p Platform) Validate() error {
	var faults []error
	for _, n := range []struct {
		name         string
		is           float64
		orNone       bool
		least, most  float64
		because, per string
	}{
		{name: "signals", is: p.Signals, least: 1, most: mostOfAny},
		{name: "buckets", is: float64(p.Buckets), least: 1, most: mostCount},
		{name: "cadence", is: p.CadenceMinutes, least: 1, most: mostYears * 60, per: " minutes", because: ": EventBridge's rules tick once a minute at the finest"},
		{name: "bookings", is: p.Bookings, orNone: true, most: mostOfAny},
		{name: "active", is: p.Active, orNone: true, most: mostOfAny},
		{name: "views", is: p.Views, orNone: true, most: mostOfAny},
		{name: "dates", is: float64(p.Dates), least: 1, most: mostCount},
		{name: "budget", is: float64(p.WriteBudget), least: 1, most: mostCount},
		{name: "concurrency", is: float64(p.Concurrency), least: 1, most: mostCount},
		{name: "staleness", is: p.StalenessHours, orNone: true, most: mostYears, per: " hours"},
		{name: "check", is: p.CheckMS, most: longestRun * 1000, per: " ms", because: ": a function has no longer"},
		{name: "memory", is: p.MemoryMiB, least: 128, most: mostMemory, per: " MiB", because: ": what a function can have"},
		{name: "item", is: p.ItemBytes, most: mostItem, per: " bytes", because: ": an item cannot be larger"},
	} {
		from := "above 0"
		switch {
		case n.orNone:
			from = "0 or more"
		case n.least > 0:
			from = count(n.least) + " or more"
		}
		fits := n.is >= n.least && n.is <= n.most && (n.is > 0 || n.orNone)
		if !fits { // Nor is what is no number.
			faults = append(faults, fmt.Errorf("%s is %v: it must be %s, and at most %s%s%s", n.name, n.is, from, count(n.most), n.per, n.because))
		}
	}
	if p.Active > p.Signals && p.Active > 0 { // Without any, it is all of them.
		faults = append(faults, fmt.Errorf("active is %s, and there are %s signals: it cannot be more", count(p.Active), count(p.Signals)))
	}
	switch p.Way {
	case Coalesced, Blind, Transaction, Stream:
	default:
		faults = append(faults, fmt.Errorf("flip is %q: it must be coalesced, blind, transaction or stream", p.Way))
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
