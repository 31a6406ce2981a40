package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
)

var update = flag.Bool("update", false, "draw the README's picture again")

// The README's picture is drawn from the demo's data, and small.
func TestPicture_isCurrent(t *testing.T) {
	folder, err := dataFolder("")
	if err != nil {
		t.Fatal(err)
	}
	s, err := season.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	board := picture(s)
	var drawn bytes.Buffer
	if err := board.WriteSVG(&drawn); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("season.svg", drawn.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is, err := os.ReadFile("season.svg")
	if err != nil || !bytes.Equal(is, drawn.Bytes()) {
		t.Errorf("season.svg is not what is drawn now: go test ./examples/demo -run Picture -update (%v)", err)
	}
	if drawn.Len() > 150_000 {
		t.Errorf("it has %d bytes", drawn.Len())
	}
	for _, p := range s.Products {
		if len(p.Name) <= 38 && !strings.Contains(drawn.String(), p.Name) {
			t.Errorf("%s is not in it", p.Name)
		}
	}
	due := 0
	for _, row := range board.Rows {
		for _, c := range row.Cells {
			if c.Pending {
				due++
			}
		}
	}
	if due == 0 || due > s.Touched() {
		t.Errorf("%d due, of %d days that the morning touches", due, s.Touched())
	}
}
