package protocol_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var writeDiagrams = flag.Bool("write-diagrams", false, "write the ADR's diagrams of the variants that fail again")

// diagramsPath is the page that has them.
const diagramsPath = "../../docs/adr/0005-protocol-traces.md"

const diagramsIntro = `# 5, continued: the shortest way on which each variant fails

Each variant of the protocol that was rejected ([5](0005-protocol.md)) is explored by ` + "`TestProtocol_everyMutantIsCaught`" + ` until an invariant breaks. The diagrams are what it finds, the shortest there is; the test fails if one of them is no longer as it says here, and writes this page again with ` + "`go test ./runtime/protocol -run everyMutant -write-diagrams`" + `.

A value is told by the changes that the read behind it saw. Leases may be over at any moment, whatever a clock says.
`

// diagrams are the shortest ways of the variants that the description lists.
type diagrams struct {
	mu    sync.Mutex
	texts map[string]string
}

// newDiagrams holds them against the page when the test has ended, if it has met all.
func newDiagrams(t *testing.T) *diagrams {
	t.Helper()
	d := &diagrams{texts: map[string]string{}}
	t.Cleanup(func() {
		text := diagramsIntro
		for _, mu := range mutants() {
			if d.texts[mu.name] == "" {
				return
			}
			text += d.texts[mu.name]
		}
		if *writeDiagrams {
			if err := os.WriteFile(diagramsPath, []byte(text), 0o644); err != nil {
				t.Error(err)
			}
			return
		}
		page, err := os.ReadFile(diagramsPath)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(string(page), text); diff != "" {
			t.Errorf("the diagrams are others by now; -write-diagrams writes them (-page +found):\n%s", diff)
		}
	})
	return d
}

func (d *diagrams) add(mu mutant, m *model, f finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts[mu.name] = fmt.Sprintf("\n## %s\n\n```mermaid\n%s```\n", strings.ToUpper(mu.name[:1])+mu.name[1:], m.diagram(f))
}

// diagram is a way as a sequence diagram.
func (m *model) diagram(f finding) string {
	var b strings.Builder
	note := func(words string) { fmt.Fprintf(&b, "  Note over signal: %s\n", plain(words)) }
	item := f.first
	note(brief(m.items[item]))
	parties := map[string]bool{"signal": true, "inventory": true}
	var order []string
	for _, s := range f.way {
		from, to := s.via.parties()
		if from == "" {
			note(s.via.String())
			continue
		}
		if !parties[from] {
			parties[from] = true
			order = append(order, from)
		}
		fmt.Fprintf(&b, "  %s%s%s: %s\n", from, s.via.arrow(), to, plain(s.via.String()))
		if s.next.item != item {
			item = s.next.item
			note(brief(m.items[item]))
		}
	}
	note(f.broken)
	head := "sequenceDiagram\n"
	for _, who := range append(order, "signal", "inventory") {
		head += "  participant " + who + "\n"
	}
	return head + b.String()
}

// plain is words without what ends a line of a diagram.
func plain(words string) string { return strings.ReplaceAll(words, ";", ",") }

// parties are who makes a move, and with whom; none if it is nobody's.
func (v move) parties() (from, to string) {
	says := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(v.words, part) {
				return true
			}
		}
		return false
	}
	n := strconv.Itoa(v.who + 1)
	switch {
	case says("writer %d"):
		from = "writer" + n
	case says("run %d"):
		from = "run" + n
	case says("audit"):
		from = "audit"
	case says("sweep"):
		from = "sweep"
	case says("TTL"):
		from = "TTL"
	case says("seed", "stream"):
		from = "seeder"
	default:
		return "", ""
	}
	switch {
	case says("commits its change"):
		to = "inventory"
	case v.write != 0, says("signal", "refused", "meets a transaction", "sends a claim", "sends its finish"):
		to = "signal"
	case says("commit", "source", "pool"):
		to = "inventory"
	default:
		to = from
	}
	return from, to
}

// arrow is one that ends in the void where an answer does.
func (v move) arrow() string {
	for _, lost := range []string{"answer is lost", "hears nothing", "gives up waiting"} {
		if strings.Contains(v.words, lost) {
			return "--x"
		}
	}
	return "->>"
}

// brief is an item in a few words.
func brief(item signal.Item) string {
	if item == nil {
		return "none"
	}
	f := factsOf(item)
	words := []string{item.Text(signal.AttrGSISK)}
	if rev, ok := item[signal.AttrRev].Int(); ok {
		words = append(words, fmt.Sprintf("rev %d", rev))
	} else {
		words = append(words, "no rev")
	}
	if by := item.Text(signal.AttrClaimedBy); by != "" {
		words = append(words, "claimed by "+by)
	}
	if rev, ok := item[signal.AttrClaimedRev].Int(); ok {
		words = append(words, fmt.Sprintf("claimed at rev %d", rev))
	}
	if f.hasValue {
		words = append(words, "value of "+changes(f.seen))
	}
	if rev, ok := item["settleRev"].Int(); ok {
		words = append(words, fmt.Sprintf("settles rev %d", rev))
	}
	if modeOf(item) == signal.Tiered {
		words = append(words, "tiered")
	}
	if f.globalID != "first" {
		words = append(words, "seeded as "+f.globalID)
	}
	return strings.Join(words, ", ")
}

func TestDiagram_brief(t *testing.T) {
	t.Parallel()
	for want, item := range map[string]signal.Item{
		"none":                           nil,
		"dirty, rev 0":                   seedDirty("first").Item,
		"dirty, no rev":                  seedForeign("first").Item,
		"clean, rev 0, seeded as second": seedClean("second").Item,
		"dirty, rev 0, claimed by run 1 claim 1, claimed at rev 0": func() signal.Item {
			item, _ := protocol.Claim(modelDay.Key(), "run 1 claim 1", modelNow, 0).Apply(seedDirty("first").Item)
			return item
		}(),
	} {
		if got := brief(item); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
