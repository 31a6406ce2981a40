package chart

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// Measures of a bucket's chart, in pixels.
const (
	chartWidth  = 560
	chartHeight = 130
	chartLeft   = 64
	chartRight  = 12
	chartTop    = 24
	chartBottom = 24
)

// series is one line of a chart, or its bars. What is below 0 is not known.
type series struct {
	class, name string
	// dash tells lines apart without colour.
	dash string
	bars bool
	of   func(Run) float64
}

// plot is a chart of a bucket's runs over time.
type plot struct {
	title string
	runs  []Run
	// at is when a run shows.
	at func(Run) time.Time
	// limit is drawn as a line of its own, with its name; 0 for none.
	limit     float64
	limitName string
	series    []series
	// label is a number of the scale in words.
	label func(float64) string
}

// runsPlot shows what each run did, and how long the oldest had waited.
func (b Bucket) runsPlot() string {
	return plot{
		title: "signals checked by each run", runs: b.Runs, at: func(r Run) time.Time { return r.Ended }, label: count,
		series: []series{
			{class: "bar", name: "checked", bars: true, of: func(r Run) float64 { return float64(r.Checked) }},
			{class: "bar2", name: "changed", bars: true, of: func(r Run) float64 { return float64(r.Changed) }},
			{class: "bar3", name: "failed or not reached", bars: true, of: func(r Run) float64 { return float64(r.Failed + r.Remaining) }},
		},
	}.draw()
}

func (b Bucket) agesPlot() string {
	p := plot{
		title: "age of values, and wait of the oldest change", runs: b.Runs, at: func(r Run) time.Time { return r.Seen }, label: seconds,
		series: []series{
			{class: "line1", name: "median age", of: func(r Run) float64 { return float64(r.MedianAge) }},
			{class: "line2", name: "oldest value", dash: "6 3", of: func(r Run) float64 { return float64(r.OldestAge) }},
			{class: "line3", name: "longest wait", dash: "2 3", of: func(r Run) float64 { return float64(r.Waited) }},
		},
	}
	if b.Interval > 0 {
		p.limit, p.limitName = 3*b.Interval.Seconds(), "three cadences"
	}
	return p.draw()
}

func (p plot) draw() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, chartWidth, chartHeight+18, html.EscapeString(p.words()))
	fmt.Fprintf(&b, `<text class="soft" x="%d" y="12" font-size="12">%s</text>`, chartLeft, html.EscapeString(p.title))
	top := p.most()
	if p.limit > 0 && p.limit <= 4*top {
		top = max(top, p.limit)
	}
	if top == 0 {
		top = 1
	}
	for _, part := range []float64{0, 0.5, 1} {
		y := p.y(part*top, top)
		fmt.Fprintf(&b, `<path class="rule" d="M%d %sH%d"/><text class="soft" x="%d" y="%s" font-size="11" text-anchor="end">%s</text>`,
			chartLeft, px(y), chartWidth-chartRight, chartLeft-6, px(y+4), p.label(part*top))
	}
	if p.limit > 0 && p.limit <= top {
		y := p.y(p.limit, top)
		fmt.Fprintf(&b, `<path class="limit" d="M%d %sH%d"/><text class="alarm" x="%d" y="%s" font-size="11" text-anchor="end">%s</text>`,
			chartLeft, px(y), chartWidth-chartRight, chartWidth-chartRight, px(y-3), html.EscapeString(p.limitName))
	}
	for n, s := range p.series {
		if s.bars {
			p.bars(&b, s, n, top)
		} else {
			p.line(&b, s, top)
		}
	}
	p.times(&b)
	p.key(&b)
	b.WriteString(`</svg>`)
	return b.String()
}

func (p plot) words() string {
	if len(p.runs) == 0 {
		return p.title + ": no run has been seen"
	}
	last := p.runs[len(p.runs)-1]
	words := make([]string, len(p.series))
	for i, s := range p.series {
		words[i] = s.name + " " + p.label(s.of(last))
	}
	return p.title + "; last: " + strings.Join(words, ", ")
}

func (p plot) most() float64 {
	most := 0.0
	for _, s := range p.series {
		for _, r := range p.runs {
			most = max(most, s.of(r))
		}
	}
	return most
}

func (p plot) y(v, top float64) float64 {
	const room = chartHeight - chartTop - chartBottom
	return chartTop + room*(1-v/top)
}

// x is where a run shows: one alone stands in the middle.
func (p plot) x(i int) float64 {
	const room = chartWidth - chartLeft - chartRight
	first, last := p.at(p.runs[0]), p.at(p.runs[len(p.runs)-1])
	if !last.After(first) {
		return chartLeft + room/2
	}
	const margin = 14
	return chartLeft + margin + (room-2*margin)*float64(p.at(p.runs[i]).Sub(first))/float64(last.Sub(first))
}

func (p plot) bars(b *strings.Builder, s series, n int, top float64) {
	width := 6.0
	if len(p.runs) > 24 {
		width = 2
	}
	for i, r := range p.runs {
		v := s.of(r)
		if v == 0 {
			continue
		}
		y := p.y(v, top)
		fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s: %s %s</title></rect>`,
			s.class, px(p.x(i)+(float64(n)-1.5)*width), px(y), px(width), px(p.y(0, top)-y), clock(p.at(r)), html.EscapeString(s.name), p.label(v))
	}
}

func (p plot) line(b *strings.Builder, s series, top float64) {
	var points strings.Builder
	for i, r := range p.runs {
		if s.of(r) < 0 {
			continue
		}
		x, y := p.x(i), p.y(s.of(r), top)
		fmt.Fprintf(&points, "%s,%s ", px(x), px(y))
		fmt.Fprintf(b, `<circle class="%s dot" cx="%s" cy="%s" r="2.5"><title>%s: %s %s</title></circle>`,
			s.class, px(x), px(y), clock(p.at(r)), html.EscapeString(s.name), p.label(s.of(r)))
	}
	fmt.Fprintf(b, `<polyline class="%s" stroke-dasharray="%s" points="%s"/>`, s.class, s.dash, strings.TrimSpace(points.String()))
}

func (p plot) times(b *strings.Builder) {
	if len(p.runs) == 0 {
		fmt.Fprintf(b, `<text class="soft" x="%d" y="%d" font-size="12" text-anchor="middle">no run has been seen</text>`, chartWidth/2, chartHeight/2)
		return
	}
	write := func(i int, anchor string) {
		fmt.Fprintf(b, `<text class="soft" x="%s" y="%d" font-size="11" text-anchor="%s">%s</text>`, px(p.x(i)), chartHeight-8, anchor, clock(p.at(p.runs[i])))
	}
	if len(p.runs) == 1 {
		write(0, "middle")
		return
	}
	write(0, "start")
	write(len(p.runs)-1, "end")
}

func (p plot) key(b *strings.Builder) {
	x := float64(chartLeft)
	for _, s := range p.series {
		y := chartHeight + 8
		if s.bars {
			fmt.Fprintf(b, `<rect class="%s" x="%s" y="%d" width="16" height="9"/>`, s.class, px(x), y-4)
		} else {
			fmt.Fprintf(b, `<path class="%s" stroke-dasharray="%s" d="M%s %dh22"/>`, s.class, s.dash, px(x), y)
		}
		fmt.Fprintf(b, `<text class="soft" x="%s" y="%d" font-size="11">%s</text>`, px(x+27), y+4, html.EscapeString(s.name))
		x += 48 + 6*float64(len(s.name))
	}
}

func clock(t time.Time) string { return t.UTC().Format("2 Jan 15:04:05") }

func count(v float64) string {
	if v != float64(int64(v)) {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%d", int64(v))
}

func seconds(v float64) string { return ago(time.Duration(v * float64(time.Second))) }

// ago is a time span as people say it.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
