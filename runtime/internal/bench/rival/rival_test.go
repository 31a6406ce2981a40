package rival_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/rival"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const table = "signals"

func day(i int) signal.ProductDate {
	p := signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	return signal.ProductDate{Product: p, Date: signal.Date{Year: 2090, Month: time.August, Day: 1}.AddDays(i)}
}

// place is a table with so many clean signals.
func place(t *testing.T, signals int) *simulator.Client {
	t.Helper()
	db := simulator.New(simulator.Config{})
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	api := db.Client("test")
	for i := range signals {
		seed := protocol.Seed(protocol.Seeding{
			ProductDate: day(i), GSIPK: signal.BucketID("5min"), GlobalID: day(i).String(), SeededBy: "test",
			Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: signal.Expiry(day(i).Date, time.UTC),
		}, api.Now())
		if _, err := dynamo.NewStore(api, table).Write(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
	}
	return api
}

func item(t *testing.T, api *simulator.Client, i int) signal.Item {
	t.Helper()
	is, err := dynamo.NewStore(api, table).Get(t.Context(), day(i).Key())
	if err != nil {
		t.Fatal(err)
	}
	return is
}

type source func() int64

func (s source) Estimate(context.Context, signal.ProductDate) (signal.Estimate, error) {
	return signal.Estimate{Available: s(), Capacity: 100}, nil
}

func TestLiteral_checksWhatIsDirty(t *testing.T) {
	api := place(t, 3)
	l := rival.Literal{API: api, Table: table, Index: simulator.CadenceIndex, Bucket: "5min"}
	for _, i := range []int{0, 2} {
		if err := l.Flip(t.Context(), day(i).Key()); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := l.Tick(t.Context(), source(func() int64 { return 7 })); done != 2 || err != nil {
		t.Fatalf("checked %d: %v", done, err)
	}
	for i, want := range []string{"7", "", "7"} {
		if is := item(t, api, i); is.Text(signal.AttrValue) != want || is.Text(signal.AttrGSISK) != signal.Clean {
			t.Errorf("%d is %v, want %q and clean", i, is, want)
		}
	}
}

// It is what it is compared as: a loop that loses the change that comes in between.
func TestLiteral_losesAChange(t *testing.T) {
	api := place(t, 1)
	l := rival.Literal{API: api, Table: table, Index: simulator.CadenceIndex, Bucket: "5min"}
	if err := l.Flip(t.Context(), day(0).Key()); err != nil {
		t.Fatal(err)
	}
	available := int64(7)
	_, err := l.Tick(t.Context(), source(func() int64 {
		read := available
		available = 6
		if err := l.Flip(t.Context(), day(0).Key()); err != nil {
			t.Error(err)
		}
		return read
	}))
	if err != nil {
		t.Fatal(err)
	}
	if is := item(t, api, 0); is.Text(signal.AttrGSISK) != signal.Clean || is.Text(signal.AttrValue) != "7" {
		t.Errorf("%v: want it clean with the value of before the change", is)
	}
}

func TestInsert_refusesWhatIsThere(t *testing.T) {
	api := place(t, 1)
	var items []map[string]types.AttributeValue
	for i := range 60 {
		items = append(items, map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: day(i).PK()}, "sk": &types.AttributeValueMemberS{Value: day(i).Date.String()},
		})
	}
	if err := rival.Insert(t.Context(), api, table, items, 4); err != nil {
		t.Fatal(err)
	}
	if item(t, api, 0).Text(signal.AttrSchema) != signal.SchemaSignal {
		t.Error("it overwrote what was there")
	}
	if item(t, api, 59) == nil {
		t.Error("it left out the last")
	}
	if err := rival.Insert(t.Context(), api, "none", items, 4); err == nil {
		t.Error("no error where there is no table")
	}
}

// A check by hand leaves what a check of the runtime leaves, with a source or without.
func TestCalls_cleanASignal(t *testing.T) {
	for name, check := range map[string]func(rival.Calls, context.Context, signal.ProductDate) error{
		"a check":              rival.Calls.Check,
		"a claim and a finish": rival.Calls.ClaimAndFinish,
	} {
		t.Run(name, func(t *testing.T) {
			api := place(t, 1)
			if _, err := dynamo.NewStore(api, table).Write(t.Context(), protocol.Flip(day(0).Key(), api.Now())); err != nil {
				t.Fatal(err)
			}
			c := rival.Calls{API: api, Table: table, Index: simulator.CadenceIndex, Bucket: "5min"}
			if err := errors.Join(c.List(t.Context(), 0), c.List(t.Context(), 15), check(c, t.Context(), day(0))); err != nil {
				t.Fatal(err)
			}
			is := item(t, api, 0)
			for _, gone := range []string{signal.AttrClaimedBy, signal.AttrLeaseUntil, signal.AttrDirtySince} {
				if is[gone].Exists() {
					t.Errorf("it has %s: %v", gone, is)
				}
			}
			if is.Text(signal.AttrGSISK) != signal.Clean || is.Text(signal.AttrValue) != "7" || is.Int(signal.AttrRev) != 1 {
				t.Errorf("%v: want it clean with 7", is)
			}
			if err := check(c, t.Context(), day(0)); err == nil {
				t.Error("it checks a clean signal")
			}
		})
	}
	var _ rival.API = (*dynamodb.Client)(nil)
}

func TestRead_readsEveryPage(t *testing.T) {
	const signals = 4000
	api := place(t, signals)
	items, pages, err := rival.Read(t.Context(), api, table, day(0).PK(), day(0).Date.String(), day(signals-1).Date.String())
	if err != nil || items != signals || pages != 2 {
		t.Errorf("%d items of %d in %d pages: %v", items, signals, pages, err)
	}
	if items, _, err = rival.Read(t.Context(), api, table, day(0).PK(), day(10).Date.String(), day(19).Date.String()); err != nil || items != 10 {
		t.Errorf("%d items of 10: %v", items, err)
	}
}
