package source_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

var july1 = signal.ProductDate{
	Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "2"},
	Date:    signal.Date{Year: 2026, Month: 7, Day: 1},
}

// pages is a table of which every page of one query is prepared.
type pages struct {
	dynamo.StoreAPI
	pages [][]map[string]types.AttributeValue
	// err is the answer after the last page.
	err  error
	sent []dynamodb.QueryInput
}

func (p *pages) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	at := 0
	if from, ok := in.ExclusiveStartKey["page"].(*types.AttributeValueMemberN); ok {
		at, _ = strconv.Atoi(from.Value)
	}
	p.sent = append(p.sent, *in)
	if at == len(p.pages) {
		return &dynamodb.QueryOutput{}, p.err
	}
	out := &dynamodb.QueryOutput{Items: p.pages[at]}
	if at+1 < len(p.pages) || p.err != nil {
		out.LastEvaluatedKey = map[string]types.AttributeValue{"page": &types.AttributeValueMemberN{Value: strconv.Itoa(at + 1)}}
	}
	return out, nil
}

func number(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }
func text(s string) types.AttributeValue      { return &types.AttributeValueMemberS{Value: s} }

// pool is an inventory pool; a nil amount is absent.
func pool(sk string, availability, capacity types.AttributeValue) map[string]types.AttributeValue {
	item := map[string]types.AttributeValue{"sk": text(sk)}
	if availability != nil {
		item["availability"] = availability
	}
	if capacity != nil {
		item["capacity"] = capacity
	}
	return item
}

func estimate(p *pages) (signal.Estimate, error) {
	return source.NewPool(dynamo.NewStore(p, "inventory")).Estimate(context.Background(), july1)
}

func TestPool_sumsEveryPage(t *testing.T) {
	p := &pages{pages: [][]map[string]types.AttributeValue{
		{pool("a", number("3"), number("10")), pool("b", number("0"), number("5"))},
		{},
		{pool("c", number("-1"), number("0"))},
		{pool("d", number("4"), number("4"))},
	}}
	got, err := estimate(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := (signal.Estimate{Available: 6, Capacity: 19}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(p.sent) != 4 {
		t.Errorf("%d queries, want one for each of 4 pages", len(p.sent))
	}
	for _, in := range p.sent {
		if *in.TableName != "inventory" || in.IndexName != nil || in.ConsistentRead == nil || !*in.ConsistentRead {
			t.Error("want strongly consistent reads of the inventory table")
		}
		var partition string
		for _, v := range in.ExpressionAttributeValues {
			partition = v.(*types.AttributeValueMemberS).Value
		}
		if partition != "inventoryPool::mockPark1::backcountryCamp::1::2::2026-07-01" {
			t.Errorf("partition %q", partition)
		}
		// capacity is a reserved word: every name must be an alias.
		for name := range strings.SplitSeq(*in.ProjectionExpression+", "+strings.Fields(*in.KeyConditionExpression)[0], ", ") {
			if _, ok := in.ExpressionAttributeNames[name]; !ok {
				t.Errorf("%q is not an alias", name)
			}
		}
		projected := map[string]bool{}
		for name := range strings.SplitSeq(*in.ProjectionExpression, ", ") {
			projected[in.ExpressionAttributeNames[name]] = true
		}
		if diff := cmp.Diff(map[string]bool{"sk": true, "availability": true, "capacity": true}, projected); diff != "" {
			t.Errorf("projection: %s", diff)
		}
	}
}

func TestPool_noneIsNotSoldOut(t *testing.T) {
	got, err := estimate(&pages{pages: [][]map[string]types.AttributeValue{{}}})
	if want := (signal.Estimate{NoInventory: true}); err != nil || got != want {
		t.Errorf("without pools: %+v, %v; want %+v", got, err, want)
	}
	got, err = estimate(&pages{pages: [][]map[string]types.AttributeValue{{pool("a", number("0"), number("8"))}}})
	if want := (signal.Estimate{Capacity: 8}); err != nil || got != want {
		t.Errorf("sold out: %+v, %v; want %+v", got, err, want)
	}
}

func TestPool_namesThePoolThatCannotBeCounted(t *testing.T) {
	good, most := number("1"), number("9223372036854775807")
	for name, test := range map[string]struct {
		pools []map[string]types.AttributeValue
		want  string
	}{
		"availability missing": {
			[]map[string]types.AttributeValue{pool("zone-b", nil, good)},
			`inventory pool "zone-b" cannot be counted: its availability is missing`,
		},
		"capacity missing": {
			[]map[string]types.AttributeValue{pool("zone-b", good, nil)},
			`inventory pool "zone-b" cannot be counted: its capacity is missing`,
		},
		"String": {
			[]map[string]types.AttributeValue{pool("a", good, good), pool("zone-b", text("4"), good)},
			`inventory pool "zone-b" cannot be counted: its availability is not of type Number`,
		},
		"null": {
			[]map[string]types.AttributeValue{pool("zone-b", good, &types.AttributeValueMemberNULL{Value: true})},
			`inventory pool "zone-b" cannot be counted: its capacity is not of type Number`,
		},
		"a set": {
			[]map[string]types.AttributeValue{pool("zone-b", &types.AttributeValueMemberNS{Value: []string{"1"}}, good)},
			`inventory pool "zone-b" cannot be counted: its availability is not of type Number`,
		},
		"fraction": {
			[]map[string]types.AttributeValue{pool("zone-b", number("1.5"), good)},
			`inventory pool "zone-b" cannot be counted: its availability is not a whole number that fits 64 bits`,
		},
		"not a number": {
			[]map[string]types.AttributeValue{pool("zone-b", number("NaN"), good)},
			`inventory pool "zone-b" cannot be counted: its availability is not a whole number that fits 64 bits`,
		},
		"too large": {
			[]map[string]types.AttributeValue{pool("zone-b", good, number("9223372036854775808"))},
			`inventory pool "zone-b" cannot be counted: its capacity is not a whole number that fits 64 bits`,
		},
		"sum too large": {
			[]map[string]types.AttributeValue{pool("a", good, most), pool("zone-b", good, good)},
			`inventory pool "zone-b" cannot be counted: its capacity makes a sum that is too large`,
		},
		"sum too small": {
			[]map[string]types.AttributeValue{pool("a", number("-9223372036854775808"), good), pool("zone-b", number("-1"), good)},
			`inventory pool "zone-b" cannot be counted: its availability makes a sum that is too large`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := estimate(&pages{pages: [][]map[string]types.AttributeValue{test.pools}})
			item, ok := errors.AsType[*source.ItemError](err)
			if !ok || item.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestPool_anErrorOfTheTableIsTheSources(t *testing.T) {
	for code, busy := range map[string]bool{
		"ProvisionedThroughputExceededException": true,
		"ThrottlingException":                    true,
		"TransactionConflictException":           true,
		"InternalServerError":                    false,
		"AccessDeniedException":                  false,
		"ResourceNotFoundException":              false,
	} {
		t.Run(code, func(t *testing.T) {
			p := &pages{
				pages: [][]map[string]types.AttributeValue{{pool("a", number("1"), number("1"))}},
				err:   &smithy.GenericAPIError{Code: code, Message: "as AWS says"},
			}
			got, err := estimate(p)
			if err == nil || errors.Is(err, source.ErrBusy) != busy {
				t.Errorf("got %v; want one that is busy: %v", err, busy)
			}
			if _, ok := errors.AsType[*source.ItemError](err); ok {
				t.Error("it counts against the signal")
			}
			if got != (signal.Estimate{}) {
				t.Errorf("half a sum was returned: %+v", got)
			}
			for _, part := range []string{`read the inventory pools of "mockPark1/backcountryCamp/1/2 2026-07-01"`, "as AWS says"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}
