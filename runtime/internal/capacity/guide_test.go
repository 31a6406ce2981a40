package capacity_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/capacity"
)

// What docs/scaling.md shows is what the program prints.
func TestGuide_showsWhatIsPrinted(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*capacity.Platform){
		"the example":              func(*capacity.Platform) {},
		"an opening morning":       func(p *capacity.Platform) { p.Active = 100_000 },
		"indexes that have it all": func(p *capacity.Platform) { p.AllCadence, p.AllGlobalID = true, true },
	} {
		p := capacity.Example()
		change(&p)
		var out bytes.Buffer
		if err := p.Print(&out, capacity.Published()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(guide), "```text\n"+out.String()+"```") {
			t.Errorf("%s: docs/scaling.md does not show this:\n%s", name, out.String())
		}
	}
}
