package suite_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/suite"
)

// TestMain lets a process be started for a part of a row.
func TestMain(m *testing.M) {
	if suite.Child(context.Background()) {
		return
	}
	os.Exit(m.Run())
}

// small runs rows at a size whose numbers say nothing but for what is exact.
func small(t *testing.T, s suite.Suite, ids ...string) map[string]record.Row {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s.Root, s.Self, s.Rounds, s.Small, s.Plots, s.Log = "../../../..", self, 1, true, t.TempDir(), &log
	done, err := s.Run(t.Context(), ids...)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	rows := map[string]record.Row{}
	for _, r := range done {
		rows[r.ID] = r
		for _, f := range r.Plots {
			b, err := os.ReadFile(filepath.Join(s.Plots, f.File))
			if err != nil || xml.Unmarshal(b, new(struct{})) != nil {
				t.Errorf("%s: plot %s: %v", r.ID, f.File, err)
			}
		}
	}
	if len(rows) != len(ids) {
		t.Fatalf("%d rows of %v", len(rows), ids)
	}
	return rows
}

// hold fails where a line whose number does not depend on size or machine is not as
// it is to be.
func hold(t *testing.T, r record.Row, exact ...string) {
	t.Helper()
	held := 0
	for _, l := range r.Lines {
		for _, name := range exact {
			if !strings.Contains(l.What, name) {
				continue
			}
			held++
			if !l.Goal.Asks() || !l.Goal.Met(l.Value) {
				t.Errorf("%s: %s is %v, goal %s (%s)", r.ID, l.What, l.Value, l.Goal, l.Detail)
			}
		}
	}
	if held < len(exact) {
		t.Errorf("%s has only %d lines of %v", r.ID, held, exact)
	}
}

func TestRun_onTheSimulator(t *testing.T) {
	rows := small(t, suite.Suite{}, "P1", "P4", "P5", "G1")
	hold(t, rows["P1"], "one after the other: write", "one after the other: read", "at once: write", "at once: read", "one more flip")
	hold(t, rows["P4"], "idle tick: read units of the queries", "idle tick: read units of the registry", "idle tick: write units")
	hold(t, rows["P5"], "in one second and shard", "flips beside it that were throttled")
	if len(rows["G1"].Plots) != 3 || len(rows["G1"].Notes) != 4 {
		t.Errorf("growth: %+v", rows["G1"])
	}
}

func TestRun_onAnEngine(t *testing.T) {
	rows := small(t, suite.Suite{Engine: awstest.DynamoDB(t), EngineName: "the engine"}, "P2", "P3", "P7", "G3")
	hold(t, rows["P2"], "changes that the value lacks")
	for _, id := range []string{"P3", "P7"} {
		for _, l := range rows[id].Lines {
			if l.Value == 0 || l.Value != l.Value {
				t.Errorf("%s: %s is %v", id, l.What, l.Value)
			}
		}
	}
}

// A row that fails does not take the others with it.
func TestRun_goesOnAfterARowThatFails(t *testing.T) {
	var log bytes.Buffer
	// Nothing has been built there that P8 could weigh.
	s := suite.Suite{Root: t.TempDir(), Small: true, Rounds: 1, Plots: t.TempDir(), Log: &log}
	rows, err := s.Run(t.Context(), "P8", "G1")
	if err == nil || !strings.Contains(err.Error(), "P8") || len(rows) != 1 || rows[0].ID != "G1" {
		t.Errorf("%d rows, %v: %s", len(rows), err, log.String())
	}
}

// Without an engine, what needs one is left out and not made up.
func TestRun_leavesOutWhatNeedsAnEngine(t *testing.T) {
	var log bytes.Buffer
	s := suite.Suite{Small: true, Rounds: 1, Plots: t.TempDir(), Log: &log}
	rows, err := s.Run(t.Context(), "P2")
	if err != nil || len(rows) != 0 || !strings.Contains(log.String(), "P2 needs a local AWS") {
		t.Errorf("%v, %v: %s", rows, err, log.String())
	}
}
