package chart

import (
	_ "embed" // the page is a file beside this one
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"time"
)

//go:embed page.html
var pageText string

// page is what the file is made of. Its drawings are this package's own, and every
// text in them is escaped there.
type page struct {
	Board      Board
	Totals     []total
	Style      template.CSS
	Patterns   template.HTML
	Left, Ages template.HTML
	Width      int
	LeftHeight int
	Words      string
	Buckets    []bucketView
	History    template.HTML
	Data       template.JS
	Shown      string
}

type total struct {
	Number int
	Words  string
	Alarm  bool
}

type bucketView struct {
	Bucket
	State, Oldest, Last string
	Alarm               bool
	RunsPlot, AgesPlot  template.HTML
}

// WriteHTML writes the board as one file that needs no network.
func (b Board) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	history, err := b.history()
	if err != nil {
		return fmt.Errorf("encode the runs: %w", err)
	}
	data, err := json.Marshal(b.data())
	if err != nil {
		return fmt.Errorf("encode the dates: %w", err)
	}
	left, ages := b.heat(false), b.heat(true)
	p := page{
		Board: b, Totals: b.tiles(), Style: template.CSS(palette(":root") + marks), Patterns: patterns,
		Left: template.HTML(left.draw()), Ages: template.HTML(ages.draw()), Width: heatWidth, LeftHeight: left.height(),
		Words: left.summary(), History: template.HTML(historyOpens + string(history) + historyCloses), Data: template.JS(data),
		Shown: b.At.UTC().Format("Monday 2 January 2006, 15:04:05 UTC"),
	}
	for _, of := range b.Buckets {
		p.Buckets = append(p.Buckets, of.view(b.At))
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (b Board) tiles() []total {
	t := b.totals()
	return []total{
		{t.signals, "signals", false},
		{t.due, "due for a check", false},
		{t.stale, "stale", t.stale > 0},
		{t.unknown, "never computed", t.unknown > 0},
	}
}

func (b Bucket) view(now time.Time) bucketView {
	v := bucketView{Bucket: b, State: "runs", Oldest: "-", Last: "never", RunsPlot: template.HTML(b.runsPlot()), AgesPlot: template.HTML(b.agesPlot())}
	if !b.OldestDirty.IsZero() {
		v.Oldest = ago(now.Sub(b.OldestDirty))
	}
	if !b.LastRun.IsZero() {
		v.Last = ago(now.Sub(b.LastRun)) + " ago"
	}
	late := b.Interval > 0 && now.Sub(b.LastRun) > 3*b.Interval
	switch {
	case !b.Enabled:
		v.State, v.Alarm = "not enabled", b.Signals > 0
	case b.LastRun.IsZero():
		v.State, v.Alarm = "has never run", true
	case late:
		v.State, v.Alarm = "does not run", true
	case b.Interval > 0 && !b.OldestDirty.IsZero() && now.Sub(b.OldestDirty) > 3*b.Interval:
		v.State, v.Alarm = "falls behind", true
	}
	return v
}

// data is what the page reads out where the pointer is.
func (b Board) data() map[string]any {
	type row struct {
		Name string `json:"n"`
		// Values and Ages are of each date: text, and minutes or -1.
		Values []string `json:"v"`
		Ages   []int64  `json:"a"`
		// Flags has a character for each date: "." for none, "d" due, "s" stale, "x"
		// for no signal.
		Flags string `json:"f"`
	}
	rows := make([]row, len(b.Rows))
	tops := make([]int, len(b.Rows))
	h := b.heat(false)
	y := headRoom
	for i, r := range b.Rows {
		y += h.gap(i)
		tops[i] = y
		y += rowHeight + rowGap
		rows[i] = row{Name: r.Name}
		for _, c := range r.Cells {
			age := int64(-1)
			if !c.AsOf.IsZero() {
				age = int64(b.At.Sub(c.AsOf).Minutes())
			}
			flag := "."
			switch {
			case c.State == Absent:
				flag = "x"
			case c.Stale:
				flag = "s"
			case c.Pending:
				flag = "d"
			}
			rows[i].Values, rows[i].Ages, rows[i].Flags = append(rows[i].Values, c.Value), append(rows[i].Ages, age), rows[i].Flags+flag
		}
	}
	return map[string]any{
		"first": b.First.String(), "left": labelled, "day": h.day, "height": rowHeight, "tops": tops, "rows": rows,
	}
}
