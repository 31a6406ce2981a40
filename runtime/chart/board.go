package chart

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Board is what is drawn.
type Board struct {
	// Title is what it is about: a table's name.
	Title string
	At    time.Time
	// First and Last are the first and the last date.
	First, Last signal.Date
	// Rows are the products, and Omitted how many more there are.
	Rows    []Row
	Omitted int
	Buckets []Bucket
}

// Row is a product.
type Row struct {
	// Name is what it is called, and Group what stands together with it.
	Name, Group string
	// Cells are its dates, from First to Last.
	Cells []Cell
}

// Cell is a date of a product.
type Cell struct {
	State State
	// Value is what the signal shows, and Shade how much that is.
	Value string
	Shade Shade
	// AsOf is when the inventory behind it was read; zero if that is not known.
	AsOf time.Time
	// Pending is that a change waits for its check, Stale that the checks are not
	// keeping up.
	Pending, Stale bool
}

// State is what there is to show of a date.
type State uint8

// The states.
const (
	// Absent: there is no signal, or its date is over.
	Absent State = iota
	// Unknown: it has never been computed.
	Unknown
	// None: there is no inventory.
	None
	// Known: it has a value.
	Known
)

// Shade is how much is left: from nothing to plenty.
type Shade uint8

// Shades is how many there are; 0 is nothing left.
const Shades = 5

// Bucket is a bucket and what is known of its runs.
type Bucket struct {
	Name, Schedule string
	Enabled        bool
	// Interval is the time between ticks; 0 if that is not known.
	Interval time.Duration
	// Signals, Due, Stale and Unknown are how many it has of each.
	Signals, Due, Stale, Unknown int
	// OldestDirty is since when the oldest of the due ones has been; zero for none.
	OldestDirty time.Time
	// LastRun is when its last run ended; zero for none.
	LastRun time.Time
	// Runs are what has been seen of it, in order of time.
	Runs []Run
}

// Run is a run as it was seen, and the ages of the values at that time.
type Run struct {
	// Started and Ended are the run's; Seen is when it was looked at.
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Seen    time.Time `json:"seen"`
	// Checked, Changed, Failed and Remaining are the run's counts.
	Checked   int64 `json:"checked"`
	Changed   int64 `json:"changed"`
	Failed    int64 `json:"failed"`
	Remaining int64 `json:"remaining"`
	// Waited is for how long the oldest had been dirty when it started, in seconds.
	Waited int64 `json:"waited"`
	// MedianAge and OldestAge are those of the bucket's values when it was looked
	// at, in seconds; -1 if nobody looked.
	MedianAge int64 `json:"medianAge"`
	OldestAge int64 `json:"oldestAge"`
}

func (b Board) days() int { return max(b.First.DaysUntil(b.Last)+1, 0) }

// totals are the board's numbers.
type totals struct{ signals, due, stale, unknown int }

func (b Board) totals() totals {
	var t totals
	for _, of := range b.Buckets {
		t.signals += of.Signals
		t.due += of.Due
		t.stale += of.Stale
		t.unknown += of.Unknown
	}
	return t
}
