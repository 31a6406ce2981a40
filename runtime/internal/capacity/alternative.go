package capacity

// Alternative is a way to show availability, and what it costs.
type Alternative struct {
	What string
	// Booking and Showing are units a second: what changes cost, and what views do.
	Booking, Showing Units
	// Other is dollars a month of what is not units.
	Other float64
	// Age is how old a shown value may be, But what else to know.
	Age, But string
}

// Dollars is its price of a month.
func (a Alternative) Dollars(at Prices) float64 {
	return at.month(a.Booking) + at.month(a.Showing) + a.Other
}

// Alternatives are the signals and what could be done instead. None of their
// costs have the booking's own writes, which are the same for all.
func (p Platform) Alternatives(at Prices) []Alternative {
	loads := p.Loads()
	views := Units{Read: p.view()}.times(p.Views)
	signals := Total(loads)
	signals.Read -= views.Read
	recomputed := distinct(p.Views*float64(p.Dates)*p.tick(), p.Signals) / p.tick()
	return []Alternative{
		{
			What: "signals", Booking: signals, Showing: views, Other: p.otherDollars(at),
			Age: "a cadence and a run", But: "no change is lost, and what was never flipped the audit finds",
		},
		{
			What: "a live sum of the pools", Showing: Units{Read: float64(p.Dates) / 2}.times(p.Views),
			Age: "none", But: "one query for every date of every view; a source that is no table cannot be asked so",
		},
		{
			What: "a total on the ProductDate, kept by the booking", Booking: Units{Write: 2}.times(p.Bookings), Showing: views,
			Age: "none", But: "every writer must keep it in its transaction, and bookings of one date conflict there; a writer that forgets is never found",
		},
		{
			What: "a cache that expires after a cadence", Booking: Units{Read: 1, Write: 1}.times(recomputed), Showing: views,
			Age: "a cadence", But: "recomputes what is viewed, changed or not, while somebody waits; an expired date is asked for by all at once",
		},
		{
			What: "the stream alone: recompute at every change", Booking: Units{Read: 1, Write: 1}.times(p.Bookings), Showing: views,
			Other: p.streamDollars(at),
			Age:   "the stream's lag", But: "a source that is asked at every change, hot dates most; no order across shards without a protocol; nothing finds what was missed",
		},
	}
}

// streamDollars is what a function costs that recomputes at every change.
func (p Platform) streamDollars(at Prices) float64 {
	seconds := p.Bookings * monthSeconds * p.CheckMS / 1000 / float64(p.Concurrency)
	return seconds*p.MemoryMiB/1024*at.GBSecond + p.Bookings/streamBatch*monthSeconds/1e6*at.Request
}
