// Package plot draws lines as SVG: axes with labels, linear or logarithmic, in
// colours that can be read on light and on dark ground.
package plot

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Chart is a plot of lines.
type Chart struct {
	Title string
	X, Y  Axis
	Lines []Line
}

// Axis is one of the two. A logarithmic one shows only what is above 0.
type Axis struct {
	Label string
	Log   bool
}

// Line is what belongs together; points are in the order they are joined in.
type Line struct {
	Name   string
	Points []Point
	// Dashed sets apart what was not measured but is compared with.
	Dashed bool
}

// Point is a point in the axes' own units.
type Point struct{ X, Y float64 }

const (
	height      = 400
	left        = 84
	top, bottom = 44, 56
	areaW       = 466
	areaH       = height - top - bottom
	// legend is where the names of lines begin, to the right of the area.
	legend = 36
	// letter is as wide as one is at the most, by and large.
	letter = 7.5
)

// width leaves room for the longest name of a line.
func (c Chart) width() int {
	longest := 0
	for _, l := range c.Lines {
		longest = max(longest, utf8.RuneCountInString(l.Name))
	}
	return left + areaW + legend + int(letter*float64(longest))
}

// The colours have enough contrast on white as on near black.
func colours() []string { return []string{"#2f81f7", "#d9730d", "#1a9850", "#a371f7", "#d6336c"} }

// SVG is the chart as a file.
func (c Chart) SVG() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", c.width(), height, c.width(), height, html.EscapeString(c.Title))
	b.WriteString("<style>text{font:12px system-ui,sans-serif;fill:#57606a}.t{font-size:14px;font-weight:600}.a{stroke:#57606a}.g{stroke:#8b949e;stroke-opacity:.3}@media(prefers-color-scheme:dark){text{fill:#adbac7}.a{stroke:#adbac7}}</style>\n")
	label(&b, left, 24, "start", ` class="t"`, c.Title)
	xs, ys := c.scale(func(p Point) float64 { return p.X }, c.X), c.scale(func(p Point) float64 { return p.Y }, c.Y)
	for _, t := range xs.ticks() {
		x := left + xs.at(t)*areaW
		fmt.Fprintf(&b, `<line class="g" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`+"\n", x, top, x, top+areaH)
		label(&b, x, top+areaH+18, "middle", "", short(t))
	}
	for _, t := range ys.ticks() {
		y := top + (1-ys.at(t))*areaH
		fmt.Fprintf(&b, `<line class="g" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`+"\n", left, y, left+areaW, y)
		label(&b, left-8, y+4, "end", "", short(t))
	}
	fmt.Fprintf(&b, `<path class="a" fill="none" d="M%d %dV%dH%d"/>`+"\n", left, top, top+areaH, left+areaW)
	label(&b, left+areaW/2, height-12, "middle", "", c.X.Label)
	label(&b, 0, 0, "middle", fmt.Sprintf(` transform="translate(18 %d) rotate(-90)"`, top+areaH/2), c.Y.Label)
	for i, l := range c.Lines {
		c.draw(&b, i, l, xs, ys)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (c Chart) draw(b *strings.Builder, i int, l Line, xs, ys scale) {
	colour := colours()[i%len(colours())]
	dash := ""
	if l.Dashed {
		dash = ` stroke-dasharray="6 4"`
	}
	var path []string
	for _, p := range l.Points {
		if !xs.shows(p.X) || !ys.shows(p.Y) {
			continue
		}
		x, y := left+xs.at(p.X)*areaW, top+(1-ys.at(p.Y))*areaH
		path = append(path, fmt.Sprintf("%.1f %.1f", x, y))
		if !l.Dashed {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, colour)
		}
	}
	if len(path) > 1 {
		fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="2"%s d="M%s"/>`+"\n", colour, dash, strings.Join(path, "L"))
	}
	y := top + 10 + 20*i
	fmt.Fprintf(b, `<path stroke="%s" stroke-width="2"%s d="M%d %dh18"/>`+"\n", colour, dash, left+areaW+12, y)
	label(b, left+areaW+legend, float64(y+4), "start", "", l.Name)
}

func label(b *strings.Builder, x, y float64, anchor, more, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, y, anchor, more, html.EscapeString(text))
}

// short writes a tick as 10k or 0.5.
func short(v float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= unit.of {
			return strconv.FormatFloat(v/unit.of, 'g', 4, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
