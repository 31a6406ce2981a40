package suite

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/plot"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// table writes a Markdown table of a curve's numbers.
func table(corner string, columns []string, rows [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |\n|---|%s\n", corner, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	return strings.TrimRight(b.String(), "\n")
}

// power is how y grows with x between the first and the last of points: 1 is
// proportional, 0 not at all.
func power(points []plot.Point) float64 {
	a, b := points[0], points[len(points)-1]
	return math.Log(b.Y/a.Y) / math.Log(b.X/a.X)
}

// course is power in a word, and the number.
func course(points []plot.Point) string {
	p := power(points)
	word := "less than linear"
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return "too small to tell"
	case math.Abs(p) <= 0.15:
		word = "flat"
	case math.Abs(p-1) <= 0.15:
		word = "linear"
	case p > 1:
		word = "more than linear"
	case p < 0:
		word = "falling"
	}
	return fmt.Sprintf("%s (power %.2f)", word, p)
}

// growthOfRange is how long a range takes by its dates.
func (s *Suite) growthOfRange(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "Growth of a range with its dates",
		How:   fmt.Sprintf("Ranges seeded and deleted by the seeder, without Terraform, on %s: medians of %d, of more than 1,000 dates those of %d.", s.EngineName, s.Rounds, s.fewer()),
	}
	create, remove := plot.Line{Name: "seed"}, plot.Line{Name: "delete"}
	var rows [][]string
	for _, days := range []int{100, 316, 1000, 3162, 10_000} {
		if s.Small {
			days /= 50
		}
		var created, removed []float64
		rounds := s.Rounds
		if days > 1000 {
			rounds = s.fewer()
		}
		for range rounds {
			c, d, err := s.seedRange(ctx, days)
			if err != nil {
				return r, err
			}
			created, removed = append(created, c), append(removed, d)
		}
		c, d := record.Median(created), record.Median(removed)
		create.Points = append(create.Points, plot.Point{X: float64(days), Y: c})
		remove.Points = append(remove.Points, plot.Point{X: float64(days), Y: d})
		n := float64(days)
		rows = append(rows, []string{record.Number(n), record.Quantity(c, "s"), record.Quantity(n/c, "/s"), record.Quantity(d, "s"), record.Quantity(n/d, "/s")})
	}
	r.Notes = []string{
		table("dates", []string{"seed", "", "delete", ""}, rows),
		fmt.Sprintf("From %s dates to %s, the time of seeding is %s, and that of deleting %s.",
			rows[0][0], rows[len(rows)-1][0], course(create.Points), course(remove.Points)),
	}
	f, err := s.draw("range", plot.Chart{
		Title: "A range's time by its dates", X: plot.Axis{Label: "dates", Log: true}, Y: plot.Axis{Label: "seconds", Log: true},
		Lines: []plot.Line{create, remove},
	})
	r.Plots = []record.Figure{f}
	return r, err
}

// fewer are the rounds of what takes long.
func (s *Suite) fewer() int { return (s.Rounds + 1) / 2 }

// growthOfWriters is how many flips there are by how many writers.
func (s *Suite) growthOfWriters(ctx context.Context) (record.Row, error) {
	const most = 256
	r := record.Row{
		Title: "Growth of flips with the writers",
		How:   "Goroutines of one process that flip without pause, on " + s.EngineName + ": one signal through the client, where they join; one signal by an UpdateItem each; and a signal each through the client. The ways take turns. All signals stay dirty, so that the client reads and an UpdateItem writes. The SDK's client keeps a connection for each.",
	}
	season, done, err := s.onEngine(ctx, most)
	if err != nil {
		return r, err
	}
	defer done()
	window := s.milliseconds(300, 20)
	same := func(int) signal.Key { return season.day(0).Key() }
	lines := []plot.Line{{Name: "one signal, joined"}, {Name: "one signal, UpdateItems"}, {Name: "a signal each"}}
	ways := []struct {
		do func(*flip.Client, context.Context, signal.Key) error
		of func(int) signal.Key
	}{
		{(*flip.Client).Flip, same},
		{(*flip.Client).Blind, same},
		{(*flip.Client).Flip, func(i int) signal.Key { return season.day(i).Key() }},
	}
	var rows [][]string
	for _, writers := range []int{1, 4, 16, 64, most} {
		row := []string{record.Number(float64(writers))}
		rates := make([][]float64, len(ways))
		for range s.Rounds {
			for i, way := range ways {
				client := flip.New(s.Engine, season.table)
				rate, err := flipRate(ctx, writers, window, func(ctx context.Context, k signal.Key) error { return way.do(client, ctx, k) }, way.of)
				if err != nil {
					return r, err
				}
				rates[i] = append(rates[i], rate)
			}
		}
		for i := range ways {
			rate := record.Median(rates[i])
			lines[i].Points = append(lines[i].Points, plot.Point{X: float64(writers), Y: rate})
			row = append(row, record.Quantity(rate, "/s"))
		}
		rows = append(rows, row)
	}
	r.Notes = []string{
		table("writers", []string{lines[0].Name, lines[1].Name, lines[2].Name}, rows),
		fmt.Sprintf("With the writers, joined flips a second are %s (two flips of a signal are under way at most, and all others share the next), single UpdateItems %s, and flips of a signal each %s: these are what the engine serves.",
			course(lines[0].Points), course(lines[1].Points), course(lines[2].Points)),
	}
	f, err := s.draw("writers", plot.Chart{
		Title: "Flips a second by writers", X: plot.Axis{Label: "writers at once", Log: true}, Y: plot.Axis{Label: "flips a second", Log: true}, Lines: lines,
	})
	r.Plots = []record.Figure{f}
	return r, err
}
