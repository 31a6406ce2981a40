package signal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// workspace is a folder in which a real terraform runs, with the provider's own
// binary, and with no other process between it and the test.
type workspace struct {
	t           *testing.T
	dir, config string
}

// newWorkspace builds the provider. mirrors are folders of other providers, each
// laid out as a filesystem mirror.
func newWorkspace(t *testing.T, mirrors ...string) *workspace {
	t.Helper()
	acctest.PreCheck(t)
	w := &workspace{t: t, dir: t.TempDir()}
	own := filepath.Join(w.dir, "mirror")
	const version = "0.0.1"
	binary := filepath.Join(own, "registry.terraform.io/availability-signal/availability", version, runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-availability_v"+version)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../..").CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, out)
	}
	blocks := fmt.Sprintf("  filesystem_mirror {\n    path    = %q\n    include = [\"availability-signal/availability\"]\n  }\n", own)
	for _, m := range mirrors {
		blocks += fmt.Sprintf("  filesystem_mirror {\n    path    = %q\n    include = [\"hashicorp/aws\"]\n  }\n", m)
	}
	w.config = filepath.Join(w.dir, "terraform.rc")
	w.write("terraform.rc", "disable_checkpoint = true\nprovider_installation {\n"+blocks+"}\n")
	return w
}

func (w *workspace) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) terraform(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), "terraform", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.config, "TF_IN_AUTOMATION=1", "TF_REATTACH_PROVIDERS=", "TF_LOG=")
	return cmd
}

// run runs terraform, which must end with that exit code, and returns its output.
func (w *workspace) run(code int, args ...string) string {
	w.t.Helper()
	out, err := w.terraform(args...).CombinedOutput()
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		w.t.Fatal(err)
	}
	if got != code {
		w.t.Fatalf("terraform %s ends with %d, want %d:\n%s", strings.Join(args, " "), got, code, out)
	}
	return string(out)
}

// resources are the attributes of the state's resources, by address.
func (w *workspace) resources() map[string]map[string]any {
	w.t.Helper()
	out, err := w.terraform("show", "-json").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var state struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address string         `json:"address"`
					Tainted bool           `json:"tainted"`
					Values  map[string]any `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal(out, &state); err != nil {
		w.t.Fatal(err)
	}
	found := map[string]map[string]any{}
	for _, r := range state.Values.Root.Resources {
		if r.Tainted {
			w.t.Errorf("%s is tainted", r.Address)
		}
		found[r.Address] = r.Values
	}
	return found
}

const required = `
terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
    %s
  }
}
`

// Ctrl-C in the middle of seeding a season keeps what is seeded, and the next apply
// seeds the rest.
func TestRange_interruptedByCtrlC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ws := newWorkspace(t)
	proxy := acctest.NewFaultProxy(t)
	provider := proxy.Provider(fmt.Sprintf("table_name = %q", w.table), `time_zone = "America/Vancouver"`)
	ws.write("main.tf", fmt.Sprintf(required, "")+rangeConfig(provider, "2090-07-01", "2095-06-30", exactIn5min))
	ws.run(0, "init", "-no-color")
	apply := ws.terraform("apply", "-auto-approve", "-no-color")
	var out bytes.Buffer
	apply.Stdout, apply.Stderr = &out, &out
	started := make(chan *os.Process, 1)
	interrupt := acctest.Before(func() {
		if err := (<-started).Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
	})
	// From then on nothing is answered, until the provider gives up by itself.
	proxy.Set(
		acctest.Fault{Operation: "BatchExecuteStatement", Call: 9, Effect: interrupt},
		acctest.Fault{Operation: "BatchExecuteStatement", Call: 9, Onwards: true, Effect: acctest.Delay(time.Minute)},
	)
	if err := apply.Start(); err != nil {
		t.Fatal(err)
	}
	started <- apply.Process
	if err := apply.Wait(); err == nil {
		t.Errorf("an apply that was interrupted succeeds:\n%s", out.String())
	}
	for _, want := range []string{"Interrupt received", "It was interrupted."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	seeded := w.items()
	state := ws.resources()[rangeAddress]
	missing, _ := state["missing_dates"].([]any)
	if len(seeded) < 8*25 || len(seeded) >= 1826 || len(missing) == 0 {
		t.Fatalf("%d are seeded, missing %v", len(seeded), missing)
	}
	proxy.Set()
	ws.run(0, "apply", "-auto-approve", "-no-color")
	if err := holdThere(w, "2090-07-01/2095-06-30"); err != nil {
		t.Error(err)
	}
	for date, item := range w.items() {
		if was, ok := seeded[date]; ok && !cmp.Equal(was, item) {
			t.Errorf("%s was touched", date)
		}
	}
	if id := ws.resources()[rangeAddress]["range_id"]; id != state["range_id"] {
		t.Errorf("it is another range: %v, was %v", id, state["range_id"])
	}
	ws.run(0, "plan", "-detailed-exitcode", "-no-color")
	ws.run(0, "destroy", "-auto-approve", "-no-color")
	if err := holdThere(w, ""); err != nil {
		t.Error(err)
	}
}

// awsMirror is a folder that has hashicorp/aws for this machine: the one that
// AVAILABILITY_AWS_MIRROR names, or one found where such folders are kept.
func awsMirror(t *testing.T) string {
	t.Helper()
	const within = "registry.terraform.io/hashicorp/aws"
	of := func(dir string) bool {
		found, err := filepath.Glob(filepath.Join(dir, within, "*", runtime.GOOS+"_"+runtime.GOARCH))
		return err == nil && len(found) > 0
	}
	if named := os.Getenv("AVAILABILITY_AWS_MIRROR"); named != "" {
		if !of(named) {
			t.Fatalf("AVAILABILITY_AWS_MIRROR is %s, which has no %s for %s_%s", named, within, runtime.GOOS, runtime.GOARCH)
		}
		return named
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{home, "/usr", "/opt", "/var", "/srv"} {
		for _, between := range []string{"", "*", "*/*", "*/*/*", ".*/*"} {
			found, err := filepath.Glob(filepath.Join(root, between, within))
			if err != nil {
				t.Fatal(err)
			}
			for _, dir := range found {
				if dir = strings.TrimSuffix(dir, "/"+within); of(dir) {
					return dir
				}
			}
		}
	}
	t.Skip("hashicorp/aws is not found on this machine: set AVAILABILITY_AWS_MIRROR to a filesystem mirror that has it. A stand-in for it goes the same ways in TestSignal_movedFromTableItem and TestRange_adoptsTableItems")
	return ""
}

// The real hashicorp/aws writes the items, and gives them up: one is moved, the
// others are adopted.
func TestRange_takesOverFromTheRealAWSProvider(t *testing.T) {
	t.Parallel()
	mirror := awsMirror(t)
	w := newWorld(t)
	ws := newWorkspace(t, mirror)
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" {
		t.Skip("its items are kept on the local AWS")
	}
	head := fmt.Sprintf(required, `aws = { source = "hashicorp/aws" }`) + fmt.Sprintf(`
variable "table" { default = %q }

provider "aws" {
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  skip_region_validation      = true
  endpoints { dynamodb = %q }
}
`, w.table, endpoint)
	items := itemConfig("one", "", `"2090-07-01"`) + itemConfig("many", "count = 3", `"2090-07-1${count.index}"`)
	ws.write("main.tf", head+items)
	ws.run(0, "init", "-no-color")
	ws.run(0, "apply", "-auto-approve", "-no-color")
	if err := holdThere(w, "2090-07-01/2090-07-01 2090-07-10/2090-07-12"); err != nil {
		t.Fatal(err)
	}
	w.check(1, "37")
	w.check(10, "38")
	ours := minimalSignal(w.table, "") + rangeConfig("", "2090-07-10", "2090-07-13", exactIn5min+"adopt_existing = true")
	ws.write("main.tf", head+ours+`
moved {
  from = aws_dynamodb_table_item.one
  to   = availability_signal.test
}

removed {
  from = aws_dynamodb_table_item.many
  lifecycle {
    destroy = false
  }
}
`)
	ws.run(0, "apply", "-auto-approve", "-no-color")
	// From here on hashicorp/aws has no part in it.
	ws.write("main.tf", fmt.Sprintf(required, "")+ours)
	ws.run(0, "plan", "-detailed-exitcode", "-no-color")
	state := ws.resources()
	if len(state) != 2 || state[address]["global_id"] != "id-2090-07-01" {
		t.Errorf("the state has %v", state)
	}
	for day, want := range map[int]struct{ id, value, owner string }{
		1:  {"id-2090-07-01", "37", "terraform:id-2090-07-01"},
		10: {"id-2090-07-10", "38", fmt.Sprintf("terraform:%v", state[rangeAddress]["range_id"])},
		12: {"id-2090-07-12", "12", fmt.Sprintf("terraform:%v", state[rangeAddress]["range_id"])},
	} {
		item := w.item(day)
		if item.Text("globalId") != want.id || item.Text("value") != want.value || item.Text("seededBy") != want.owner || item.Text(signal.AttrGSISK) != "dirty" || item.Text("note") == "" {
			t.Errorf("%d is %v", day, item)
		}
	}
}
