package suite_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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
	if s.Root == "" {
		s.Root = "../../../.."
	}
	s.Self, s.Rounds, s.Small, s.Plots, s.Log = self, 1, true, t.TempDir(), &log
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

// A run of the Lambda is killed once its memory has been looked at. The next one must
// not take it for one that still has the bucket, nor must the rows after it.
func TestRun_lambdaIsKilledInTheMidst(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "bin", "linux_"+runtime.GOARCH, "bootstrap")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc,nethttpomithttp2", "-o", path, "../../../cmd/bootstrap")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	row := small(t, suite.Suite{Root: root}, "P6")["P6"]
	if len(row.Lines) != 2 {
		t.Fatalf("%+v", row.Lines)
	}
	for _, l := range row.Lines {
		if l.Value <= 0 || strings.Contains(l.Detail, " 0 checked") {
			t.Errorf("%s: %v (%s)", l.What, l.Value, l.Detail)
		}
	}
}

// What Terraform is measured with runs to its end: the providers are built and found,
// plans after an apply are empty, and what is compared has as much state.
func TestRun_inTerraform(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "main.go", "provider", "runtime"} {
		from, err := filepath.Abs(filepath.Join("../../../..", name))
		if err == nil {
			err = os.Symlink(from, filepath.Join(root, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(root, "bin", "terraform-provider-availability"), ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	row := small(t, suite.Suite{Root: root, Engine: awstest.DynamoDB(t), EngineName: "the engine"}, "P10")["P10"]
	if len(row.Lines) != 7 {
		t.Fatalf("%+v", row.Lines)
	}
	for _, l := range row.Lines {
		if l.Value <= 0 {
			t.Errorf("%s: %v (%s)", l.What, l.Value, l.Detail)
		}
	}
	state := row.Lines[6]
	var idle float64
	if _, err := fmt.Sscanf(state.Detail, "a provider that does nothing %f", &idle); err != nil || math.Abs(idle/state.Value-1) > 0.05 {
		t.Errorf("%.0f bytes of state, %s: %v", state.Value, state.Detail, err)
	}
}

// A row that cannot be measured keeps none after it from being measured.
func TestRun_goesOnAfterAFailure(t *testing.T) {
	var log bytes.Buffer
	// There is nothing to build the minimal Lambda from.
	s := suite.Suite{Root: t.TempDir(), Small: true, Rounds: 1, Plots: t.TempDir(), Log: &log}
	rows, err := s.Run(t.Context(), "P1", "P8", "G1")
	if err == nil || !strings.HasPrefix(err.Error(), "P8: ") || len(rows) != 2 || rows[1].ID != "G1" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// A name that is of no row is said, and nothing is measured.
func TestRun_ofNoRow(t *testing.T) {
	var log bytes.Buffer
	s := suite.Suite{Small: true, Rounds: 1, Plots: t.TempDir(), Log: &log}
	rows, err := s.Run(t.Context(), "P1", "P99")
	if err == nil || !strings.Contains(err.Error(), `there is no row "P99": there are P1, P2`) || len(rows) > 0 {
		t.Errorf("%v, %v", rows, err)
	}
}

// The page says what it was measured with: the engine as it is pinned, and the SDK.
func TestVersions(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".ci"), 0o755); err != nil {
		t.Fatal(err)
	}
	pins := "botocore==1.2.3 \\\n    --hash=sha256:00\nministack==1.5.0 \\\n    --hash=sha256:11\n"
	if err := os.WriteFile(filepath.Join(root, ".ci", "ministack.txt"), []byte(pins), 0o600); err != nil {
		t.Fatal(err)
	}
	if all := suite.Versions(root, "ministack"); !slices.Contains(all, "ministack 1.5.0") {
		t.Errorf("versions %q", all)
	}
	if all := suite.Versions(root, "another"); !slices.Contains(all, "another") {
		t.Errorf("versions %q", all)
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
