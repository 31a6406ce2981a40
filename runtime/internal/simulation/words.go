package simulation

import (
	"fmt"
	"strings"
	"time"
)

// String tells the plan in words.
func (p Plan) String() string {
	var b strings.Builder
	b.WriteString(p.words())
	for _, a := range p.Actors {
		fmt.Fprintf(&b, "\n  %s", a.Role)
		if a.Skew != 0 {
			fmt.Fprintf(&b, ", whose clock is off by %s", a.Skew)
		}
		b.WriteString(":")
		for i, s := range a.Steps {
			if i > 0 {
				b.WriteString(",")
			}
			if s.Wait > 0 {
				fmt.Fprintf(&b, " after %s", s.Wait)
			}
			if s.Ambush {
				fmt.Fprintf(&b, " at the next claim of day %d", s.Day)
			}
			fmt.Fprintf(&b, " %s", s)
		}
	}
	return b.String()
}

// words are the plan without its actors.
func (p Plan) words() string {
	parts := []string{fmt.Sprintf("seed %d: %d days", p.Seed, p.Days)}
	for _, flag := range []struct {
		is    bool
		words string
	}{
		{p.Midnight, "the first ends at midnight"},
		{p.Tiered, "tiered"},
		{p.Valued, "seeded with a value"},
		{p.Foreign, "strangers' signals"},
		{p.Kept, "the last is kept by the stream"},
		{p.Audits, "audited"},
		{p.TTL, "TTL"},
		{p.Unheld, "runs overlap"},
		{true, fmt.Sprintf("leases of %s", p.Lease)},
		{p.Concurrency > 1, fmt.Sprintf("%d checks at once", p.Concurrency)},
	} {
		if flag.is {
			parts = append(parts, flag.words)
		}
	}
	for _, lag := range []struct {
		of string
		is time.Duration
	}{{"source", p.Lag}, {"index", p.IndexLag}, {"eventual reads", p.ReadLag}, {"transactions", p.Visibility}} {
		if lag.is > 0 {
			parts = append(parts, fmt.Sprintf("%s up to %s behind", lag.of, lag.is))
		}
	}
	for _, rate := range []struct {
		of string
		is float64
	}{{"lost answers", p.Lost}, {"late requests", p.Late}, {"refusals", p.Refused}, {"slow requests", p.Slow}, {"crashes", p.Crash}, {"held answers", p.Held}} {
		if rate.is > 0 {
			parts = append(parts, fmt.Sprintf("%.1f %% %s", 100*rate.is, rate.of))
		}
	}
	return strings.Join(parts, ", ")
}

// String is what is done, in words.
func (s Step) String() string {
	pool := []string{"a", "b"}[s.Pool]
	switch s.Deed {
	case BookBlind:
		return fmt.Sprintf("books pool %s of day %d and flips, blind", pool, s.Day)
	case BookCoalesced:
		return fmt.Sprintf("books pool %s of day %d and flips", pool, s.Day)
	case BookJoined:
		return fmt.Sprintf("books both pools of day %d in two requests that share their flips", s.Day)
	case BookTransacted:
		return fmt.Sprintf("books both pools of day %d in a transaction with a flip, and flips again", s.Day)
	case BookUntold:
		return fmt.Sprintf("books pool %s of day %d, for the stream to tell", pool, s.Day)
	}
	return map[Deed]string{
		Tick: "triggers a run", TickTwice: "triggers two runs",
		OtherPattern: "changes the pattern", OtherBucket: "changes the bucket", Shorter: "leaves one day", Longer: "has all days",
		Destroy: "destroys", Recreate: "destroys and creates", OtherShards: "has three shards",
		DeleteByHand: fmt.Sprintf("deletes day %d", s.Day), Disown: fmt.Sprintf("makes day %d nobody's", s.Day),
		Withdraw: "takes the last day back", Offer: "offers the last day", Look: "reads all days",
	}[s.Deed]
}
