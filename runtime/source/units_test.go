package source_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// unit is a unit of inventory; a nil status is absent.
func unit(sk string, status types.AttributeValue) map[string]types.AttributeValue {
	item := map[string]types.AttributeValue{"sk": text(sk)}
	if status != nil {
		item["allocationStatus"] = status
	}
	return item
}

func units(p *pages, change func(*source.UnitLayout)) *source.Units {
	layout := source.DefaultUnitLayout()
	if change != nil {
		change(&layout)
	}
	return source.NewUnits(dynamo.NewStore(p, "inventory"), layout)
}

func TestUnits_countsEveryPage(t *testing.T) {
	p := &pages{pages: [][]map[string]types.AttributeValue{
		{unit("1", text("available")), unit("2", text("held")), unit("3", text("retired"))},
		{},
		{unit("4", text("reserved")), unit("5", text("releasing")), unit("6", text("available"))},
		{unit("7", text("Available")), unit("8", text("somebody's own"))},
	}}
	got, err := units(p, nil).Estimate(t.Context(), july1)
	if want := (signal.Estimate{Available: 2, Capacity: 7}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if len(p.sent) != 4 {
		t.Errorf("%d queries, want one for each of 4 pages", len(p.sent))
	}
	for _, in := range p.sent {
		if *in.TableName != "inventory" || in.ConsistentRead == nil || !*in.ConsistentRead {
			t.Error("want strongly consistent reads of the inventory table")
		}
		projected := map[string]bool{}
		for name := range strings.SplitSeq(*in.ProjectionExpression, ", ") {
			projected[in.ExpressionAttributeNames[name]] = true
		}
		if diff := cmp.Diff(map[string]bool{"sk": true, "allocationStatus": true}, projected); diff != "" {
			t.Errorf("projection: %s", diff)
		}
	}
}

func TestUnits_noneIsNotSoldOut(t *testing.T) {
	for name, test := range map[string]struct {
		units []map[string]types.AttributeValue
		want  signal.Estimate
	}{
		"no units":    {nil, signal.Estimate{NoInventory: true}},
		"sold out":    {[]map[string]types.AttributeValue{unit("1", text("reserved"))}, signal.Estimate{Capacity: 1}},
		"all retired": {[]map[string]types.AttributeValue{unit("1", text("retired"))}, signal.Estimate{}},
	} {
		got, err := units(&pages{pages: [][]map[string]types.AttributeValue{test.units}}, nil).Estimate(t.Context(), july1)
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, test.want)
		}
	}
}

func TestUnits_namesTheUnitThatCannotBeCounted(t *testing.T) {
	for name, test := range map[string]struct {
		status types.AttributeValue
		want   string
	}{
		"missing": {nil, "is missing"},
		"empty":   {text(""), "is empty"},
		"number":  {number("1"), "is not of type String"},
		"null":    {&types.AttributeValueMemberNULL{Value: true}, "is not of type String"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pages{pages: [][]map[string]types.AttributeValue{{unit("1", text("available")), unit("site-9", test.status)}}}
			got, err := units(p, nil).Estimate(t.Context(), july1)
			item, ok := errors.AsType[*source.ItemError](err)
			if want := `inventory unit "site-9" cannot be counted: its allocationStatus ` + test.want; !ok || item.Error() != want {
				t.Errorf(" got %v\nwant %s", err, want)
			}
			if got != (signal.Estimate{}) {
				t.Errorf("half a count was returned: %+v", got)
			}
		})
	}
}

func TestUnits_ofAnotherLayout(t *testing.T) {
	template, err := source.ParseTemplate("sites#{productId}#{date}")
	if err != nil {
		t.Fatal(err)
	}
	site := func(sk, state string) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"SK": text(sk), "state": text(state)}
	}
	p := &pages{pages: [][]map[string]types.AttributeValue{{site("1", "free"), site("2", "returned"), site("3", "gone"), site("4", "sold")}}}
	got, err := units(p, func(l *source.UnitLayout) {
		l.Keys = source.Keys{Partition: template, HashAttr: "PK", RangeAttr: "SK"}
		l.StatusAttr = "state"
		l.Available, l.Retired = []string{"free", "returned"}, []string{"gone", "lost"}
	}).Estimate(t.Context(), july1)
	if want := (signal.Estimate{Available: 2, Capacity: 3}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	wantPartition(t, p, "PK", "sites#2#2026-07-01")
}

func wantPartition(t *testing.T, p *pages, attr, key string) {
	t.Helper()
	in := p.sent[0]
	if hash := in.ExpressionAttributeNames[strings.Fields(*in.KeyConditionExpression)[0]]; hash != attr {
		t.Errorf("partition key %q, want %q", hash, attr)
	}
	for _, v := range in.ExpressionAttributeValues {
		if got := v.(*types.AttributeValueMemberS).Value; got != key {
			t.Errorf("partition %q, want %q", got, key)
		}
	}
}

func TestUnits_aBusyTable(t *testing.T) {
	p := &pages{err: &smithy.GenericAPIError{Code: "ThrottlingException", Message: "as AWS says"}}
	_, err := units(p, nil).Estimate(t.Context(), july1)
	if !errors.Is(err, source.ErrBusy) || !strings.Contains(err.Error(), `read the inventory units of "mockPark1/backcountryCamp/1/2 2026-07-01"`) {
		t.Errorf("got %v", err)
	}
}

func TestPool_ofAnotherLayout(t *testing.T) {
	template, err := source.ParseTemplate("stock#{productId}#{date}")
	if err != nil {
		t.Fatal(err)
	}
	p := &pages{pages: [][]map[string]types.AttributeValue{
		{{"SK": text("a"), "free": number("3"), "total": number("9")}},
		{{"SK": text("b"), "free": number("1")}},
	}}
	layout := source.PoolLayout{
		Keys:          source.Keys{Partition: template, HashAttr: "PK", RangeAttr: "SK"},
		AvailableAttr: "free", CapacityAttr: "total",
	}
	_, err = source.NewPoolOf(dynamo.NewStore(p, "inventory"), layout).Estimate(t.Context(), july1)
	if want := `inventory pool "b" cannot be counted: its total is missing`; err == nil || err.Error() != want {
		t.Errorf(" got %v\nwant %s", err, want)
	}
	wantPartition(t, p, "PK", "stock#2#2026-07-01")
	p.pages = p.pages[:1]
	got, err := source.NewPoolOf(dynamo.NewStore(p, "inventory"), layout).Estimate(t.Context(), july1)
	if want := (signal.Estimate{Available: 3, Capacity: 9}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}
