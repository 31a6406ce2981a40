package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/chart"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The reports that are drawn around the morning.
const (
	reportBefore = "before.html"
	reportAfter  = "after.html"
)

func (d *demo) drawBefore(ctx context.Context) error { return d.draw(ctx, reportBefore, "") }

func (d *demo) drawAfter(ctx context.Context) error { return d.draw(ctx, reportAfter, reportBefore) }

// draw writes a report beside this program, where it is still there when the local
// AWS is gone. It remembers what an earlier one has seen.
func (d *demo) draw(ctx context.Context, name, earlier string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find a place for the report: %w", err)
	}
	folder := filepath.Join(filepath.Dir(program), "report")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make a place for the report: %w", err)
	}
	reader := read.New(d.db, tableName, read.WithConsistentReads())
	board, err := chart.Collect(ctx, dynamo.NewFinder(d.db, tableName), reader, tableName, chart.Selection{}, time.Now().UTC().Truncate(time.Second))
	if err != nil {
		return err
	}
	d.name(&board)
	d.watched(&board)
	if earlier != "" {
		page, err := os.ReadFile(filepath.Join(folder, earlier))
		if err != nil {
			return fmt.Errorf("read the report of before: %w", err)
		}
		if err := board.Remember(page); err != nil {
			return fmt.Errorf("read the report of before: %w", err)
		}
	}
	var page bytes.Buffer
	if err := board.WriteHTML(&page); err != nil {
		return err
	}
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil { //nolint:gosec // a page to be looked at
		return fmt.Errorf("write the report: %w", err)
	}
	d.out.line("drawn in %s", file)
	return nil
}

// name calls the products what the season calls them.
func (d *demo) name(b *chart.Board) {
	for i := range b.Rows {
		n := slices.IndexFunc(d.season.Products, func(p season.Product) bool { return p.Product.String() == b.Rows[i].Name })
		if n >= 0 {
			b.Rows[i].Name = d.season.Products[n].Name
		}
	}
}

// watched adds the runs that the demo has seen: a bucket's item has only the last.
func (d *demo) watched(b *chart.Board) {
	d.watch.mu.Lock()
	defer d.watch.mu.Unlock()
	for i := range b.Buckets {
		of := &b.Buckets[i]
		var runs []chart.Run
		for _, r := range d.watch.runs[of.Name] {
			if slices.ContainsFunc(of.Runs, func(known chart.Run) bool { return known.Ended.Equal(r.ended) }) {
				continue
			}
			runs = append(runs, chart.Run{
				Started: r.started, Ended: r.ended, Seen: r.ended, MedianAge: -1, OldestAge: -1, Waited: r.counts.Int("oldestDirtyAgeSeconds"),
				Checked: r.counts.Int("computed"), Changed: r.counts.Int("changed"), Failed: r.counts.Int("failed"), Remaining: r.counts.Int("remaining"),
			})
		}
		of.Runs = slices.Concat(runs, of.Runs)
	}
}

// sinceTick is how long before the end of the morning the last tick of the README's
// picture was.
const sinceTick = time.Minute

// picture is the season a minute after a tick, in the midst of the morning: what
// was booked since then is due.
func picture(s *season.Season) chart.Board {
	tick := int((s.Lasts() - sinceTick).Seconds())
	left, due := s.Opening(), map[season.Day]bool{}
	for _, b := range s.Morning {
		if b.Second > tick {
			due[b.Day] = true
			continue
		}
		left[b.Slot] += b.Change
	}
	b := chart.Board{Title: "Opening morning"}
	b.First, b.Last = s.Span()
	of := map[string]*chart.Bucket{}
	values := s.Values(left)
	for i, p := range s.Products {
		if of[p.Bucket] == nil {
			of[p.Bucket] = &chart.Bucket{Name: p.Bucket, Enabled: true}
		}
		row := chart.Row{Name: p.Name, Group: p.CollectionID, Cells: make([]chart.Cell, b.First.DaysUntil(b.Last)+1)}
		for n := range p.Days() {
			day := season.Day{Product: i, Date: n}
			c := chart.Cell{State: chart.None, Value: values[day], Pending: due[day]}
			if c.Value != signal.None {
				c.State = chart.Known
				c.Shade, _ = chart.ShadeOf(p.Pattern, c.Value, p.Capacity())
			}
			row.Cells[b.First.DaysUntil(p.Start)+n] = c
			of[p.Bucket].Signals++
			if c.Pending {
				of[p.Bucket].Due++
			}
		}
		b.Rows = append(b.Rows, row)
	}
	for _, name := range s.Buckets() {
		b.Buckets = append(b.Buckets, *of[name])
	}
	return b
}
