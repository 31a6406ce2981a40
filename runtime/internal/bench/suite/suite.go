// Package suite is the benchmarks: each row of the performance goals with what it
// is compared with, and the curves of growth.
package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/plot"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
)

// Suite runs rows.
type Suite struct {
	// Root is the source tree's folder: in its bin are the provider and the Lambda.
	Root string
	// Engine is a local DynamoDB; nil leaves out the rows that need one.
	Engine *dynamodb.Client
	// EngineName is what it is.
	EngineName string
	// Self is the path of this program, which is run again where memory is
	// measured.
	Self string
	// Rounds is how often each side of a comparison is measured.
	Rounds int
	// Small makes everything as small as a test can wait for; its numbers say
	// nothing.
	Small bool
	// Full applies as many table items as the goal has.
	Full bool
	// Plots is where SVG files are written to.
	Plots string
	// Machine is what it runs on, and with which versions.
	Machine record.Machine
	// Log is told what is going on.
	Log io.Writer

	// FullFound is what a run with Full has found.
	FullFound *record.Full

	// work is a folder of the run's own.
	work  string
	large *season
}

// row is a part of the suite.
type row struct {
	id string
	// local rows need no engine.
	local bool
	run   func(*Suite, context.Context) (record.Row, error)
	// turn is when it runs, of those with the same one in the page's order. What holds
	// a million signals comes last: no other is measured beside so much to collect.
	turn int
}

// The turns of what shares the large season: growth begins with small ones, and the
// Lambda leaves signals dirty.
const (
	early = iota
	growing
	large
	last
)

// rows are all there are, in the page's order.
func rows() []row {
	return []row{
		{"P1", true, (*Suite).units, early},
		{"P2", false, (*Suite).flips, early},
		{"P3", false, (*Suite).checks, early},
		{"P4", true, (*Suite).ticks, large},
		{"P5", true, (*Suite).pace, early},
		{"P6", true, (*Suite).memory, last},
		{"P7", false, (*Suite).overhead, early},
		{"P8", true, (*Suite).binary, early},
		{"P9", false, (*Suite).single, early},
		{"P10", false, (*Suite).thousand, early},
		{"P11", false, (*Suite).season, early},
		{"G1", true, (*Suite).growthOfTick, growing},
		{"G2", false, (*Suite).growthOfRange, early},
		{"G3", false, (*Suite).growthOfWriters, early},
	}
}

// IDs are the rows that there are.
func IDs() []string {
	var ids []string
	for _, r := range rows() {
		ids = append(ids, r.id)
	}
	return ids
}

// Check says which of these ids are of no row.
func Check(ids ...string) error {
	for _, id := range ids {
		if !slices.Contains(IDs(), id) {
			return fmt.Errorf("there is no row %q: there are %s", id, strings.Join(IDs(), ", "))
		}
	}
	return nil
}

// Run runs the rows of these ids, or all of them for none, each in its turn. The rows
// that it returns with an error are those that could be measured.
func (s *Suite) Run(ctx context.Context, ids ...string) ([]record.Row, error) {
	if err := Check(ids...); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "availability-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	s.work = work
	var done []record.Row
	var failed []error
	all := rows()
	slices.SortStableFunc(all, func(a, b row) int { return a.turn - b.turn })
	for _, r := range all {
		if len(ids) > 0 && !slices.Contains(ids, r.id) {
			continue
		}
		if !r.local && s.Engine == nil {
			s.say("%s needs a local AWS: left out", r.id)
			continue
		}
		began, load := time.Now(), record.Load()
		s.say("%s ...", r.id)
		found, err := r.run(s, ctx)
		if err != nil {
			// What cannot be measured stands in no other row's way.
			failed = append(failed, fmt.Errorf("%s: %w", r.id, err))
			s.say("%s FAILED: %v", r.id, err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		found.ID, found.At, found.Load, found.Machine = r.id, began, load, s.Machine
		s.tell(found, time.Since(began))
		done = append(done, found)
	}
	return done, errors.Join(failed...)
}

func (s *Suite) say(format string, args ...any) { _, _ = fmt.Fprintf(s.Log, format+"\n", args...) }

func (s *Suite) tell(r record.Row, took time.Duration) {
	s.say("%s: %s (%s)", r.ID, r.Title, took.Round(100*time.Millisecond))
	for _, l := range r.Lines {
		verdict := ""
		if l.Goal.Asks() {
			verdict = "goal " + l.Goal.String() + ": met"
			if !l.Goal.Met(l.Value) {
				verdict = "goal " + l.Goal.String() + ": MISSED"
			}
		}
		s.say("  %-64s %12s  %s  [%s]", l.What, record.Quantity(l.Value, l.Unit), verdict, l.Detail)
	}
}

// sized is a number of things, or a small one.
func (s *Suite) sized(normal, small int) int {
	if s.Small {
		return small
	}
	return normal
}

// draw writes a plot's file.
func (s *Suite) draw(name string, c plot.Chart) (record.Figure, error) {
	f := record.Figure{File: name + ".svg", Alt: c.Title}
	if err := os.MkdirAll(s.Plots, 0o755); err != nil {
		return f, err
	}
	return f, os.WriteFile(filepath.Join(s.Plots, f.File), []byte(c.SVG()), 0o644)
}

// perSecond is how many of a number of things are done in a second.
func perSecond(n int, f func() error) (float64, error) {
	began := time.Now()
	err := f()
	return float64(n) / time.Since(began).Seconds(), err
}

func (s *Suite) milliseconds(normal, small int) time.Duration {
	return time.Duration(s.sized(normal, small)) * time.Millisecond
}
