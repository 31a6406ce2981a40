package chart

import (
	"fmt"
	"html"
	"io"
	"strings"
	"time"
)

// Measures of a heat map, in pixels.
const (
	heatWidth = 1160
	labelled  = 250
	counted   = 122
	rowHeight = 20
	rowGap    = 3
	groupGap  = 10
	headRoom  = 30
	keyRoom   = 34
)

// heat is a heat map in the making.
type heat struct {
	Board
	b strings.Builder
	// day is the width of a date.
	day float64
	// byAge is whether it shows how old values are, and not how much is left.
	byAge bool
}

// WriteSVG writes the heat map of what is left as an SVG that stands alone.
func (b Board) WriteSVG(w io.Writer) error {
	h := b.heat(false)
	body := h.draw()
	height := h.height()
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="%s" role="img" aria-label="%s">
<style>%s%s .card{fill:var(--card)}</style>
%s<rect class="card" width="%d" height="%d" rx="8"/>
<text class="strong" x="16" y="30" font-size="17">%s</text>
<g transform="translate(16 44)">
%s</g>
</svg>
`, heatWidth+32, height+60, fonts, h.summary(), palette("svg"), marks, patterns, heatWidth+32, height+60, html.EscapeString(b.headline()), body)
	return err
}

func (b Board) headline() string {
	return fmt.Sprintf("%s: what is left, %s to %s", b.Title, b.First, b.Last)
}

func (b Board) heat(byAge bool) *heat {
	return &heat{Board: b, byAge: byAge, day: float64(heatWidth-labelled-counted) / float64(max(b.days(), 1))}
}

func (h *heat) height() int {
	height := headRoom + keyRoom
	for i := range h.Rows {
		height += rowHeight + rowGap + h.gap(i)
	}
	return height
}

// gap is the room above a row that begins a group.
func (h *heat) gap(i int) int {
	if i > 0 && h.Rows[i].Group != h.Rows[i-1].Group {
		return groupGap
	}
	return 0
}

// summary is the picture in words.
func (h *heat) summary() string {
	t := h.totals()
	return html.EscapeString(fmt.Sprintf("Heat map of %d products by %d dates: %d signals, %d due, %d stale, %d without a value",
		len(h.Rows), h.days(), t.signals, t.due, t.stale, t.unknown))
}

func (h *heat) draw() string {
	y := headRoom
	bottom := h.height() - keyRoom
	h.months(bottom)
	for i, row := range h.Rows {
		y += h.gap(i)
		h.text("", labelled-10, y+14, "end", shortened(row.Name, 38))
		h.row(row, y)
		h.counts(row, y)
		y += rowHeight + rowGap
	}
	h.key(bottom + 12)
	return h.b.String()
}

func (h *heat) text(class string, x float64, y int, anchor, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(&h.b, "<text%s x=\"%s\" y=\"%d\" font-size=\"12\" text-anchor=\"%s\">%s</text>\n", class, px(x), y, anchor, html.EscapeString(text))
}

// months are the names of the months, with a line where each begins.
func (h *heat) months(bottom int) {
	last := -1000.0
	for i := range h.days() {
		d := h.First.AddDays(i)
		if d.Day != 1 && i > 0 {
			continue
		}
		x := labelled + float64(i)*h.day
		if d.Day == 1 {
			fmt.Fprintf(&h.b, "<path class=\"rule\" d=\"M%s %dV%d\"/>\n", px(x), headRoom-10, bottom)
		}
		name := d.Month.String()[:3]
		if d.Month == time.January || i == 0 {
			name += fmt.Sprintf(" %d", d.Year)
		}
		if x-last >= 60 {
			h.text("soft", x+3, headRoom-10, "start", name)
			last = x
		}
	}
}

// row draws a product: each stretch of dates that look alike is one rectangle.
func (h *heat) row(row Row, y int) {
	for i := 0; i < len(row.Cells); {
		end := i + 1
		for end < len(row.Cells) && h.class(row.Cells[end]) == h.class(row.Cells[i]) {
			end++
		}
		if class := h.class(row.Cells[i]); class != "" {
			h.rect(class, i, end, y)
		}
		i = end
	}
	h.overlay(row, y, "pending", func(c Cell) bool { return c.Pending })
	h.overlay(row, y, "stale", func(c Cell) bool { return c.Stale })
}

func (h *heat) overlay(row Row, y int, class string, is func(Cell) bool) {
	for i := 0; i < len(row.Cells); {
		end := i
		for end < len(row.Cells) && row.Cells[end].State != Absent && is(row.Cells[end]) {
			end++
		}
		if end > i {
			h.rect(class, i, end, y)
			// A hatching of one narrow date is easily missed.
			fmt.Fprintf(&h.b, "<rect class=\"mark %s\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"2\"/>\n",
				class, px(labelled+float64(i)*h.day), y+rowHeight, px(float64(end-i)*h.day))
		}
		i = max(end, i+1)
	}
}

func (h *heat) rect(class string, from, to, y int) {
	fmt.Fprintf(&h.b, "<rect class=\"%s\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"/>\n",
		class, px(labelled+float64(from)*h.day), y, px(float64(to-from)*h.day), rowHeight)
}

// class is how a date looks.
func (h *heat) class(c Cell) string {
	switch {
	case c.State == Absent:
		return ""
	case c.State == Unknown:
		return "unknown"
	case h.byAge && c.AsOf.IsZero():
		return "unknown"
	case h.byAge:
		return fmt.Sprintf("a%d", ageShade(h.At.Sub(c.AsOf)))
	case c.State == None:
		return "none"
	}
	return fmt.Sprintf("v%d", c.Shade)
}

// counts are a product's numbers in words, at the end of its row.
func (h *heat) counts(row Row, y int) {
	due, stale := 0, 0
	for _, c := range row.Cells {
		if c.State == Absent {
			continue
		}
		if c.Pending {
			due++
		}
		if c.Stale {
			stale++
		}
	}
	var words []string
	if due > 0 {
		words = append(words, fmt.Sprintf("%d due", due))
	}
	if stale > 0 {
		words = append(words, fmt.Sprintf("%d stale", stale))
	}
	class, text := "soft", "all checked"
	if len(words) > 0 {
		class, text = "strong", strings.Join(words, ", ")
	}
	h.text(class, heatWidth-counted+8, y+14, "start", text)
}

// key says what the colours and patterns mean.
func (h *heat) key(y int) {
	type entry struct{ classes, words string }
	var entries []entry
	if h.byAge {
		for i, words := range ageNames() {
			entries = append(entries, entry{fmt.Sprintf("a%d", i), words})
		}
	} else {
		for i, words := range shadeNames() {
			entries = append(entries, entry{fmt.Sprintf("v%d", i), words})
		}
		entries = append(entries, entry{"none", "no inventory"})
	}
	under := entries[0].classes
	if !h.byAge {
		under = entries[Shades-2].classes
	}
	entries = append(entries, entry{"unknown", "never computed"}, entry{under + " pending", "due"}, entry{under + " stale", "stale"})
	x := float64(labelled - 200)
	for _, e := range entries {
		for class := range strings.FieldsSeq(e.classes) {
			fmt.Fprintf(&h.b, "<rect class=\"%s\" x=\"%s\" y=\"%d\" width=\"18\" height=\"14\"/>\n", class, px(x), y)
		}
		h.text("soft", x+23, y+11, "start", e.words)
		x += 44 + 6.6*float64(len(e.words))
	}
}

// ageShade is how old a value is: the fresher, the lighter.
func ageShade(age time.Duration) int {
	for i, limit := range ageLimits() {
		if age < limit {
			return i
		}
	}
	return len(ageLimits())
}

func ageLimits() []time.Duration {
	return []time.Duration{15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}
}

func ageNames() []string {
	return []string{"under 15 min", "under 1 h", "under 6 h", "under a day", "older"}
}

// px is a length with as few digits as it takes.
func px(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

func shortened(name string, most int) string {
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return string(runes[:most-1]) + "…"
}
