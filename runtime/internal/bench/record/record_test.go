package record_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", -7: "-7", 25: "25", 1000: "1,000", 1234567.4: "1,234,567", -123456: "-123,456",
		0.5: "0.5", 0.0123: "0.0123", 0.10217: "0.102", 1.0 / 7: "0.143", 3.14159: "3.14", 31.4159: "31.4", 314.159: "314",
	} {
		if got := record.Number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		of   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := record.Median(tt.of); got != tt.want {
			t.Errorf("the median of %v is %v, want %v", tt.of, got, tt.want)
		}
	}
}

// The two sides take turns, so that neither has always the warmer machine.
func TestAlternate_takesTurns(t *testing.T) {
	var order []string
	side := func(name string, v float64) func() (float64, error) {
		return func() (float64, error) { order = append(order, name); return v, nil }
	}
	p, err := record.Alternate(3, side("ours", 1), side("theirs", 4))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ours", "theirs", "theirs", "ours", "ours", "theirs"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if got := p.Ratio(); got != 0.25 {
		t.Errorf("ratio %v, want 0.25", got)
	}
	if got := p.Inverse().Ratio(); got != 4 {
		t.Errorf("inverse ratio %v, want 4", got)
	}
	broken := errors.New("broken")
	if _, err := record.Alternate(3, side("ours", 1), func() (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestGoal(t *testing.T) {
	for _, tt := range []struct {
		goal record.Goal
		v    float64
		want bool
	}{
		{record.AtMost(2), 2, true},
		{record.AtMost(2), 2.01, false},
		{record.AtLeast(2), 2, true},
		{record.AtLeast(2), 1.99, false},
		{record.Goal{}, 1e9, true},
	} {
		if got := tt.goal.Met(tt.v); got != tt.want {
			t.Errorf("%v of %s is met: %v, want %v", tt.v, tt.goal, got, tt.want)
		}
	}
}

func TestMarkdown_saysWhatIsMissed(t *testing.T) {
	at := time.Date(2026, time.November, 30, 15, 4, 0, 0, time.UTC)
	page := record.Page{
		Machine: record.Machine{CPU: "some CPU", Cores: 2, Versions: []string{"go1.26.0"}},
		Rows: []record.Row{
			{ID: "P1", Title: "Met", How: "How.", At: at, Load: "0.10 0.20 0.30", Lines: []record.Line{{What: "units", Value: 7, Goal: record.AtMost(7)}}, Plots: []record.Figure{{File: "a.svg", Alt: "A plot"}}},
			{ID: "P2", Title: "Missed", Lines: []record.Line{{What: "ratio", Value: 19, Unit: "x", Goal: record.AtLeast(20)}}},
			{ID: "P9", Title: "Alone", Notes: []string{"There was nothing to compare with."}},
			{ID: "G1", Title: "Growth", Notes: []string{"A note."}},
		},
		Full: &record.Full{Date: "2026-11-29", Items: 3000, ItemsApply: 600, RangeApply: 5, ItemsDestroy: 300, RangeDestroy: 6, Machine: record.Machine{CPU: "another", Cores: 4}},
	}
	got := page.Markdown()
	for _, want := range []string{
		"Measured on 30 November 2026, 15:04 UTC; load before: 0.10 0.20 0.30.", "2 × some CPU",
		"| [P1](#p1-met) | Met | met |", "| [P2](#p2-missed) | Missed | **missed**, see below |",
		"| units | 7 | ≤ 7 | met |  |", "| ratio | 19× | ≥ 20 | **missed** |  |", "![A plot](benchmarks/a.svg)", "A note.",
		"on 2026-11-29, on 4 × another", "| apply | 600 s | 5 s | 120× | ≥ 60 | met |", "| destroy | 300 s | 6 s | 50× | ≥ 100 | **missed** |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	const running = "something else was running"
	if strings.Contains(got, running) {
		t.Error("it calls a quiet machine busy")
	}
	page.Rows[1].Load = "19.43 20.19 22.77"
	if !strings.Contains(page.Markdown(), running) {
		t.Error("it calls a busy machine quiet")
	}
	if want := "| [P9](#p9-alone) | Alone | not measured, see below |"; !strings.Contains(got, want) {
		t.Errorf("it does not say %q:\n%s", want, got)
	}
	if strings.Contains(got, "[G1]") {
		t.Error("what has no goal is among the goals")
	}
}

// A row that was measured elsewhere is not taken for one of the page's machine.
func TestMarkdown_rowOfAnotherMachine(t *testing.T) {
	here := record.Machine{CPU: "this CPU", Cores: 2, System: "linux/amd64", Versions: []string{"go1.26.0"}}
	there := record.Machine{CPU: "that CPU", Cores: 8, System: "linux/arm64", Versions: []string{"go1.25.0", "Terraform v1.8.0"}}
	rows := []record.Row{{ID: "P1", Machine: here}, {ID: "P2", Machine: there}}
	text := record.Page{Machine: here, Rows: rows}.Markdown()
	_, first, _ := strings.Cut(text, "## P1")
	first, second, _ := strings.Cut(first, "## P2")
	if strings.Contains(first, " CPU") {
		t.Errorf("the page's machine is told again:\n%s", first)
	}
	if want := ", on 8 × that CPU, linux/arm64, with go1.25.0, Terraform v1.8.0; load before"; !strings.Contains(second, want) {
		t.Errorf("it does not say %q:\n%s", want, second)
	}
}

// A row that is measured again takes the old one's place, and the others stay.
func TestKept_oneRowAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "benchmarks", "rows.json")
	k, err := record.ReadKept(path)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"P1", "P2", "P10"}
	line := func(v float64) []record.Line { return []record.Line{{What: "units", Value: v, Goal: record.AtMost(7)}} }
	k.Add(ids, record.Row{ID: "P10", Lines: line(1)}, record.Row{ID: "P1", Lines: line(2)})
	if err := k.Write(path); err != nil {
		t.Fatal(err)
	}
	if k, err = record.ReadKept(path); err != nil {
		t.Fatal(err)
	}
	k.Add(ids, record.Row{ID: "P2", Lines: line(3)}, record.Row{ID: "P1", Lines: line(9)})
	want := []record.Row{{ID: "P1", Lines: line(9)}, {ID: "P2", Lines: line(3)}, {ID: "P10", Lines: line(1)}}
	if diff := cmp.Diff(want, k.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if k.Rows[0].Met() || !k.Rows[2].Met() {
		t.Error("a goal is not what it was before it was written")
	}
}
