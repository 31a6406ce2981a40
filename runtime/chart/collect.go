package chart

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Finder finds items by how their pk begins, as *dynamo.Finder does.
type Finder interface {
	Items(ctx context.Context, attrs []string, prefixes ...string) iter.Seq2[signal.Item, error]
}

// Buckets reads buckets, as *read.Reader does.
type Buckets interface {
	Bucket(ctx context.Context, name string) (read.Bucket, error)
}

// Selection is what of a table is drawn.
type Selection struct {
	// Collection is a collection's id, or "" for all.
	Collection string
	// First is the first date; zero is the earliest that has not expired.
	First signal.Date
	// Days and Products are how many are drawn at most.
	Days, Products int
}

// Collect reads a table, which it does once and whole, and makes a board of it.
func Collect(ctx context.Context, finder Finder, buckets Buckets, table string, s Selection, now time.Time) (Board, error) {
	c := collection{now: now, buckets: map[string]read.Bucket{}, rows: map[string]*product{}, ages: map[string][]time.Duration{}, of: map[string]*Bucket{}}
	signals := signal.SchemaSignal + "::"
	if s.Collection != "" {
		signals += s.Collection + "::"
	}
	attrs := append(read.Attrs(), signal.AttrPattern)
	var items []signal.Item
	for item, err := range finder.Items(ctx, attrs, signals, signal.SchemaBucket+"::") {
		if err != nil {
			return Board{}, fmt.Errorf("read table %q: %w", table, err)
		}
		if item.Text(signal.AttrSK) == signal.RegistrySK {
			if err := c.bucket(ctx, buckets, item.Text(signal.AttrPK)); err != nil {
				return Board{}, err
			}
			continue
		}
		items = append(items, item)
	}
	for _, item := range items {
		c.add(item)
	}
	return c.board(table, s), nil
}

// collection is a board in the making.
type collection struct {
	now     time.Time
	buckets map[string]read.Bucket
	of      map[string]*Bucket
	ages    map[string][]time.Duration
	rows    map[string]*product
}

type product struct {
	signal.Product
	days map[signal.Date]reading
	// most is the most that any of its dates has, where that is a count.
	most int64
}

type reading struct {
	read.Reading
	pattern signal.Pattern
}

func (c *collection) bucket(ctx context.Context, buckets Buckets, id string) error {
	name, err := signal.ParseBucketID(id)
	if err != nil {
		return nil //nolint:nilerr // whatever it is, it is no bucket's
	}
	b, err := buckets.Bucket(ctx, name)
	if errors.Is(err, signal.ErrRegistry) {
		return nil
	}
	if err != nil {
		return err
	}
	c.buckets[name] = b
	return nil
}

func (c *collection) add(item signal.Item) {
	r, ok := read.Parse(item, func(name string) read.Bucket { return c.buckets[name] }, c.now)
	if !ok || r.Expired {
		return
	}
	pattern, err := signal.ParsePattern(item[signal.AttrPattern])
	if err != nil {
		pattern = signal.Pattern{}
	}
	pk := r.PK()
	if c.rows[pk] == nil {
		c.rows[pk] = &product{Product: r.Product, days: map[signal.Date]reading{}}
	}
	c.rows[pk].days[r.Date] = reading{r, pattern}
	if n, err := strconv.ParseInt(r.Value, 10, 64); err == nil {
		c.rows[pk].most = max(c.rows[pk].most, n)
	}
	c.tally(r)
}

func (c *collection) tally(r read.Reading) {
	b := c.of[r.Bucket]
	if b == nil {
		b = &Bucket{}
		c.of[r.Bucket] = b
	}
	b.Signals++
	if r.Pending {
		b.Due++
		if !r.DirtySince.IsZero() && (b.OldestDirty.IsZero() || r.DirtySince.Before(b.OldestDirty)) {
			b.OldestDirty = r.DirtySince
		}
	}
	if r.Stale {
		b.Stale++
	}
	if r.Unknown {
		b.Unknown++
	}
	if !r.AsOf.IsZero() {
		c.ages[r.Bucket] = append(c.ages[r.Bucket], c.now.Sub(r.AsOf))
	}
}

func (c *collection) board(table string, s Selection) Board {
	b := Board{Title: table, At: c.now}
	pks := slices.Sorted(maps.Keys(c.rows))
	if s.Products > 0 && len(pks) > s.Products {
		b.Omitted = len(pks) - s.Products
		pks = pks[:s.Products]
	}
	b.First, b.Last = c.span(pks, s)
	for _, pk := range pks {
		p := c.rows[pk]
		row := Row{Name: p.Product.String(), Group: p.CollectionID, Cells: make([]Cell, b.days())}
		for i := range row.Cells {
			if r, ok := p.days[b.First.AddDays(i)]; ok {
				row.Cells[i] = r.cell(p.most)
			}
		}
		b.Rows = append(b.Rows, row)
	}
	for name := range c.buckets {
		if c.of[name] == nil {
			c.of[name] = &Bucket{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		b.Buckets = append(b.Buckets, c.finish(name))
	}
	return b
}

// span is the dates to draw.
func (c *collection) span(pks []string, s Selection) (first, last signal.Date) {
	for _, pk := range pks {
		for d := range c.rows[pk].days {
			if first == (signal.Date{}) || d.Compare(first) < 0 {
				first = d
			}
			if last == (signal.Date{}) || d.Compare(last) > 0 {
				last = d
			}
		}
	}
	if s.First != (signal.Date{}) {
		first = s.First
	}
	if s.Days > 0 && first.DaysUntil(last) >= s.Days {
		last = first.AddDays(s.Days - 1)
	}
	return first, last
}

func (r reading) cell(most int64) Cell {
	c := Cell{Value: r.Value, AsOf: r.AsOf, Pending: r.Pending, Stale: r.Stale, State: Known}
	switch {
	case r.Unknown:
		c.State = Unknown
	case r.Value == signal.None:
		c.State = None
	default:
		var ok bool
		if c.Shade, ok = ShadeOf(r.pattern, r.Value, most); !ok {
			c.State = Unknown
		}
	}
	return c
}

// finish is a bucket with its last run.
func (c *collection) finish(name string) Bucket {
	b, is := *c.of[name], c.buckets[name]
	b.Name, b.Schedule, b.Enabled = name, is.ScheduleExpression, is.Registered && is.Enabled
	b.Interval, b.LastRun = is.Interval(), is.LastRunAt
	switch {
	case name == "":
		b.Name = "(no bucket)"
	case !is.Registered:
		b.Schedule = "not registered"
	}
	if is.LastRunAt.IsZero() {
		return b
	}
	run := Run{
		Ended: is.LastRunAt, Seen: c.now,
		Started: is.LastRunAt.Add(-time.Duration(is.Counts["durationMs"]) * time.Millisecond),
		Checked: is.Counts["computed"], Changed: is.Counts["changed"], Failed: is.Counts["failed"], Remaining: is.Counts["remaining"],
		Waited: is.Counts["oldestDirtyAgeSeconds"],
	}
	if ages := c.ages[name]; len(ages) > 0 {
		slices.Sort(ages)
		run.MedianAge, run.OldestAge = int64(ages[len(ages)/2].Seconds()), int64(ages[len(ages)-1].Seconds())
	}
	b.Runs = []Run{run}
	return b
}
