package dynamo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// described is a table as DynamoDB describes it.
type described struct {
	table *types.TableDescription
	ttl   *types.TimeToLiveDescription
	err   error
}

func (d described) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return &dynamodb.DescribeTableOutput{Table: d.table}, d.err
}

func (d described) DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: d.ttl}, d.err
}

func TestReadLayout(t *testing.T) {
	t.Parallel()
	keys := func(hash, sort string) []types.KeySchemaElement {
		schema := []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}}
		if sort != "" {
			schema = append(schema, types.KeySchemaElement{AttributeName: &sort, KeyType: types.KeyTypeRange})
		}
		return schema
	}
	kind := func(name string, of types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: of}
	}
	api := described{table: &types.TableDescription{
		AttributeDefinitions: []types.AttributeDefinition{kind("pk", "S"), kind("sk", "N"), kind("globalId", "B")},
		KeySchema:            keys("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndexDescription{
			{IndexName: aws.String("some"), KeySchema: keys("sk", "pk"), IndexStatus: types.IndexStatusActive, Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"ttl"}}},
			{IndexName: aws.String("all"), KeySchema: keys("globalId", ""), IndexStatus: types.IndexStatusCreating, Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}},
			{IndexName: aws.String("undescribed"), KeySchema: keys("pk", ""), IndexStatus: types.IndexStatusUpdating},
			{IndexName: aws.String("going"), KeySchema: keys("pk", ""), IndexStatus: types.IndexStatusDeleting},
		},
	}}
	got, err := dynamo.ReadLayout(t.Context(), api, "park")
	want := dynamo.Layout{
		Keys: dynamo.Keys{Partition: dynamo.Text("pk"), Sort: dynamo.Attribute{Name: "sk", Type: "N"}},
		Indexes: map[string]dynamo.Index{
			"some":        {Keys: dynamo.Keys{Partition: dynamo.Attribute{Name: "sk", Type: "N"}, Sort: dynamo.Text("pk")}, Attrs: []string{"ttl"}},
			"all":         {Keys: dynamo.Keys{Partition: dynamo.Attribute{Name: "globalId", Type: "B"}}, All: true},
			"undescribed": {Keys: dynamo.Keys{Partition: dynamo.Text("pk")}},
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for keys, want := range map[dynamo.Keys]string{
		got.Keys:                "pk (string) and sk (number)",
		got.Indexes["all"].Keys: "globalId (binary)",
	} {
		if keys.String() != want {
			t.Errorf("%q, want %q", keys, want)
		}
	}
	api.err = code("ResourceNotFoundException", "no table")
	if _, err := dynamo.ReadLayout(t.Context(), api, "park"); !errors.Is(err, dynamo.ErrTableNotFound) {
		t.Errorf("no table: %v", err)
	}
}

func TestReadTTL(t *testing.T) {
	t.Parallel()
	for status, want := range map[types.TimeToLiveStatus]string{
		types.TimeToLiveStatusEnabled:   "ttl",
		types.TimeToLiveStatusEnabling:  "ttl",
		types.TimeToLiveStatusDisabled:  "",
		types.TimeToLiveStatusDisabling: "",
		"":                              "",
	} {
		api := described{ttl: &types.TimeToLiveDescription{AttributeName: aws.String("ttl"), TimeToLiveStatus: status}}
		if status == "" {
			api.ttl = nil
		}
		if got, err := dynamo.ReadTTL(t.Context(), api, "park"); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", status, got, err, want)
		}
	}
	denied := described{err: code("AccessDeniedException", "not you")}
	if _, err := dynamo.ReadTTL(t.Context(), denied, "park"); !errors.Is(err, dynamo.ErrAccessDenied) {
		t.Errorf("denied: %v", err)
	}
}
