package signal_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

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
	ws := acctest.NewWorkspace(t)
	proxy := acctest.NewFaultProxy(t)
	provider := proxy.Provider(fmt.Sprintf("table_name = %q", w.table), `time_zone = "America/Vancouver"`)
	ws.Write("main.tf", fmt.Sprintf(required, "")+rangeConfig(provider, "2090-07-01", "2095-06-30", exactIn5min))
	ws.Init()
	apply := ws.Terraform("apply", "-auto-approve", "-no-color")
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
	state := ws.Resources()[rangeAddress]
	missing, _ := state["missing_dates"].([]any)
	if len(seeded) < 8*25 || len(seeded) >= 1826 || len(missing) == 0 {
		t.Fatalf("%d are seeded, missing %v", len(seeded), missing)
	}
	proxy.Set()
	ws.Run(0, "apply", "-auto-approve", "-no-color")
	if err := holdThere(w, "2090-07-01/2095-06-30"); err != nil {
		t.Error(err)
	}
	for date, item := range w.items() {
		if was, ok := seeded[date]; ok && !cmp.Equal(was, item) {
			t.Errorf("%s was touched", date)
		}
	}
	if id := ws.Resources()[rangeAddress]["range_id"]; id != state["range_id"] {
		t.Errorf("it is another range: %v, was %v", id, state["range_id"])
	}
	ws.Run(0, "plan", "-detailed-exitcode", "-no-color")
	ws.Run(0, "destroy", "-auto-approve", "-no-color")
	if err := holdThere(w, ""); err != nil {
		t.Error(err)
	}
}

// The real hashicorp/aws writes the items, and gives them up: one is moved, the
// others are adopted.
func TestRange_takesOverFromTheRealAWSProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ws := acctest.NewWorkspace(t)
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
	ws.Write("main.tf", head+items)
	ws.Init()
	ws.Run(0, "apply", "-auto-approve", "-no-color")
	if err := holdThere(w, "2090-07-01/2090-07-01 2090-07-10/2090-07-12"); err != nil {
		t.Fatal(err)
	}
	w.check(1, "37")
	w.check(10, "38")
	ours := minimalSignal(w.table, "") + rangeConfig("", "2090-07-10", "2090-07-13", exactIn5min+"adopt_existing = true")
	ws.Write("main.tf", head+ours+`
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
	ws.Run(0, "apply", "-auto-approve", "-no-color")
	// From here on hashicorp/aws has no part in it.
	ws.Write("main.tf", fmt.Sprintf(required, "")+ours)
	ws.Run(0, "plan", "-detailed-exitcode", "-no-color")
	state := ws.Resources()
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
