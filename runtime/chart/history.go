package chart

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// mostRuns is how many runs of a bucket a file remembers.
const mostRuns = 500

// The element of a file that remembers the runs.
const (
	historyOpens  = `<script type="application/json" id="history">`
	historyCloses = `</script>`
)

// ErrHistory is what a file that was not drawn by this package answers to.
var ErrHistory = errors.New("it is no report that remembers its runs")

// history is what a file remembers: the runs of a table's buckets, by name.
type history struct {
	Table string           `json:"table"`
	Runs  map[string][]Run `json:"runs"`
}

// Remember adds to a board's runs those that an earlier file of the same table has
// seen: a run item has only the last. The error is ErrHistory, for a file of another
// table too.
func (b *Board) Remember(earlier []byte) error {
	_, rest, ok := bytes.Cut(earlier, []byte(historyOpens))
	text, _, ok2 := bytes.Cut(rest, []byte(historyCloses))
	if !ok || !ok2 {
		return ErrHistory
	}
	var seen history
	if err := json.Unmarshal(text, &seen); err != nil {
		return errors.Join(ErrHistory, err)
	}
	if seen.Table != b.Title {
		// Its buckets may have the same names.
		return fmt.Errorf("%w of this table: it is of %q", ErrHistory, seen.Table)
	}
	for i := range b.Buckets {
		b.Buckets[i].Runs = merged(seen.Runs[b.Buckets[i].Name], b.Buckets[i].Runs)
	}
	return nil
}

// merged is all runs in order, each once, as it was seen last.
func merged(earlier, later []Run) []Run {
	all := slices.Concat(earlier, later)
	slices.SortStableFunc(all, func(a, b Run) int { return a.Ended.Compare(b.Ended) })
	var runs []Run
	for _, r := range all {
		if n := len(runs); n > 0 && runs[n-1].Ended.Equal(r.Ended) {
			runs[n-1] = r
			continue
		}
		runs = append(runs, r)
	}
	return runs[max(0, len(runs)-mostRuns):]
}

// history is the runs as a file remembers them.
func (b Board) history() ([]byte, error) {
	seen := history{Table: b.Title, Runs: map[string][]Run{}}
	for _, of := range b.Buckets {
		seen.Runs[of.Name] = of.Runs
	}
	// JSON escapes "<", so that no name ends the element.
	return json.Marshal(seen)
}
