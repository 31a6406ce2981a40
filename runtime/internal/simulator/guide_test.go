package simulator_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// The guide to tables says what each operation costs, and what it says is what is
// measured here, by the code that runs and the simulator's rules of capacity.
func TestGuide_unitsPerOperation(t *testing.T) {
	own, shared := newTill(t, types.ProjectionTypeInclude), newTill(t, types.ProjectionTypeAll)
	var got []string
	for _, op := range []struct {
		name   string
		before func(*till)
		do     func(*till)
	}{
		{"flip of a clean signal", clean, blind},
		{"flip of a dirty one", dirty, blind},
		{"the same by the Go client, which reads first", dirty, coalesced},
		{"flip of one that is being checked", claimed, blind},
		{"flip of a clean one inside a transaction", clean, transact},
		{"flip of a dirty one inside a transaction", dirty, transact},
		{"check that stores the value and cleans", dirty, checking(protocol.Outcome{Value: "7"}, false)},
		{"check during which it is flipped again, without that flip", dirty, checking(protocol.Outcome{Value: "7"}, true)},
		{"check that fails", dirty, checking(protocol.Outcome{Kind: protocol.Fault, NotBefore: time.Now().Add(time.Hour)}, false)},
		{"claim that is refused, as another run has it", claimed, claim},
	} {
		got = append(got, fmt.Sprintf("| %s | %s | %s |", op.name, own.cost(op.before, op.do), shared.cost(op.before, op.do)))
	}
	if diff := cmp.Diff(rowsAfter(t, "## Units per operation"), got); diff != "" {
		t.Errorf("the guide's table (-said +measured):\n%s", diff)
	}
}

// A tick that finds nothing to do costs what the guides say.
func TestGuide_idleTick(t *testing.T) {
	till := newTill(t, types.ProjectionTypeInclude)
	clean(till)
	store := dynamo.NewStore(till.client, table)
	bucket := registered()
	bucket.Checks = signal.DefaultChecks()
	bucket.Checks.MaxStaleness = 0
	if err := dynamo.NewRegistry(store).Create(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	runner := check.Runner{
		Store: store, Registry: dynamo.NewRegistry(store), Source: source.NewPool(store), Index: simulator.CadenceIndex,
		Now: time.Now, NewID: till.client.NewID, Random: till.client.Jitter, Log: slog.New(slog.DiscardHandler),
	}
	tick := func() {
		if _, err := runner.Run(t.Context(), bucket.Name); err != nil {
			t.Fatal(err)
		}
	}
	tick()
	// The run item has about 1 KB, and its second write costs a unit or two by how
	// many digits its numbers have.
	if got := till.spent(tick); got != "2+0, 9 read" && got != "3+0, 9 read" {
		t.Errorf("an idle tick costs %s", got)
	}
	for _, guide := range []string{"tables", "opening-morning"} {
		if !strings.Contains(readGuide(t, guide), "9 read and 2 or 3 write units") {
			t.Errorf("the guide %s says something else of an idle tick", guide)
		}
	}
}

// till is a table that counts what one signal in it costs.
type till struct {
	t      *testing.T
	db     *simulator.DB
	client *simulator.Client
	store  *dynamo.Store
}

func newTill(t *testing.T, p types.ProjectionType) *till {
	db := simulator.New(simulator.Config{})
	db.CreateTable(simulator.SignalTable(table, p))
	client := db.Client("measured")
	return &till{t: t, db: db, client: client, store: dynamo.NewStore(client, table)}
}

// cost is what an operation costs a signal that something was done to before.
func (l *till) cost(before, do func(*till)) string {
	before(l)
	return l.spent(func() { do(l) })
}

// spent is the write units of the table and its indexes, and the read units if any.
func (l *till) spent(do func()) string {
	units := func(index string) simulator.Units {
		return l.db.Units(simulator.Scope{Client: "measured", Table: table, Index: index})
	}
	base, all := units(""), units(simulator.Everything)
	do()
	ofTable := units("").Write - base.Write
	text := fmt.Sprintf("%v+%v", ofTable, units(simulator.Everything).Write-all.Write-ofTable)
	if read := units(simulator.Everything).Read - all.Read; read > 0 {
		text += fmt.Sprintf(", %v read", read)
	}
	return text
}

func (l *till) write(w protocol.Write) signal.Item {
	item, err := l.store.Write(l.t.Context(), w)
	if err != nil && !errors.Is(err, dynamo.ErrRefused) {
		l.t.Fatal(err)
	}
	return item
}

var measured = signal.ProductDate{
	Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
	Date:    signal.Date{Year: 2090, Month: time.July, Day: 1},
}

func clean(l *till) {
	s := protocol.Seeding{
		ProductDate: measured, GSIPK: signal.BucketID("5min"), GlobalID: "id", Pattern: signal.Pattern{Mode: signal.Exact},
		Expiry: time.Now().AddDate(1, 0, 0), SeededBy: "test", Value: "37",
	}
	w := protocol.Seed(s, time.Now())
	w.If = nil
	l.write(w)
}

func dirty(l *till) {
	clean(l)
	blind(l)
}

func claimed(l *till) {
	dirty(l)
	claim(l)
}

func blind(l *till) { l.write(protocol.Flip(measured.Key(), time.Now())) }

func claim(l *till) {
	l.write(protocol.Claim(measured.Key(), "a claim", time.Now(), time.Minute))
}

func coalesced(l *till) {
	if err := flip.New(l.client, table).Flip(l.t.Context(), measured.Key()); err != nil {
		l.t.Fatal(err)
	}
}

func transact(l *till) {
	items := []types.TransactWriteItem{flip.New(l.client, table).TransactItem(measured.Key())}
	if _, err := l.client.TransactWriteItems(l.t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: items}); err != nil {
		l.t.Fatal(err)
	}
}

func checking(o protocol.Outcome, flipped bool) func(*till) {
	return func(l *till) {
		bucket := registered()
		// Later than the flip, or dirtySince would stay as it is.
		began := time.Now().Add(time.Minute)
		c := protocol.NewCheck(measured.Key(), bucket, "a check", began)
		c = c.Applied(l.write(c.Write()))
		if flipped {
			somebodyElse := *l
			somebodyElse.store = dynamo.NewStore(l.db.Client("booking"), table)
			blind(&somebodyElse)
		}
		o.AsOf = began
		c = c.Computed(o)
		_, err := l.store.Write(l.t.Context(), c.Write())
		refused, ok := errors.AsType[*dynamo.RefusedError](err)
		switch {
		case ok && flipped:
			l.write(c.Refused(refused.Old).Write())
		case err != nil:
			l.t.Fatal(err)
		}
	}
}

// rowsAfter are the rows of the guide's first table after a heading.
func rowsAfter(t *testing.T, heading string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(readGuide(t, "tables"), heading+"\n")
	if !ok {
		t.Fatalf("the guide has no %q", heading)
	}
	var rows []string
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		rows = append(rows, line)
	}
	// Less the heading and its rule.
	return rows[2:]
}

func readGuide(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../../templates/guides/" + name + ".md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
