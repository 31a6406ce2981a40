package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/plot"
)

func TestSVG_isWellFormedAndLabelled(t *testing.T) {
	svg := plot.Chart{
		Title: "Time & <size>", X: plot.Axis{Label: "signals", Log: true}, Y: plot.Axis{Label: "seconds"},
		Lines: []plot.Line{{Name: "a", Points: []plot.Point{{1000, 1}, {1_000_000, 5}}}, {Name: "b", Dashed: true, Points: []plot.Point{{1000, 2}, {10_000, 3}}}},
	}.SVG()
	var words []string
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("it is no XML: %v\n%s", err, svg)
		}
		if text, ok := token.(xml.CharData); ok {
			words = append(words, strings.TrimSpace(string(text)))
		}
	}
	all := strings.Join(words, "|")
	for _, want := range []string{"Time & <size>", "|signals|", "|seconds|", "|a|", "|b|", "|1k|", "|1M|", "|5|"} {
		if !strings.Contains(all+"|", want) {
			t.Errorf("it does not show %q: %s", want, all)
		}
	}
	if !strings.Contains(svg, "prefers-color-scheme:dark") {
		t.Error("it has no colours for dark ground")
	}
}

// On a logarithmic axis a tenfold is always as far, and what is not above 0 has no
// place.
func TestSVG_logarithmic(t *testing.T) {
	svg := plot.Chart{
		X:     plot.Axis{Log: true},
		Lines: []plot.Line{{Points: []plot.Point{{0, 1}, {1, 1}, {10, 1}, {100, 1}}}},
	}.SVG()
	var xs []string
	for _, m := range regexp.MustCompile(`<circle cx="([0-9.]+)"`).FindAllStringSubmatch(svg, -1) {
		xs = append(xs, m[1])
	}
	// The area is 466 wide and begins at 84.
	if diff := cmp.Diff([]string{"84.0", "317.0", "550.0"}, xs); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestSVG_withoutPoints(t *testing.T) {
	for _, log := range []bool{false, true} {
		svg := plot.Chart{X: plot.Axis{Log: log}, Y: plot.Axis{Log: log}, Lines: []plot.Line{{Name: "none", Points: []plot.Point{{-1, -1}}}}}.SVG()
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("it has no number:\n%s", svg)
		}
	}
}

// A long name of a line is not cut off at the edge.
func TestSVG_hasRoomForNames(t *testing.T) {
	const name = "one signal, an UpdateItem each"
	svg := plot.Chart{Lines: []plot.Line{{Name: "short"}, {Name: name}}}.SVG()
	var width, x float64
	if m := regexp.MustCompile(`viewBox="0 0 ([0-9]+) `).FindStringSubmatch(svg); m != nil {
		width, _ = strconv.ParseFloat(m[1], 64)
	}
	if m := regexp.MustCompile(`<text x="([0-9.]+)"[^>]*>` + name).FindStringSubmatch(svg); m != nil {
		x, _ = strconv.ParseFloat(m[1], 64)
	}
	// At 12 pixels a letter is some 7 wide.
	if x == 0 || width < x+7*float64(len(name)) {
		t.Errorf("it is %v wide, and a name of %d letters begins at %v", width, len(name), x)
	}
}
