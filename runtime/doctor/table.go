package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// projected are what a run reads of an entry of the cadence index.
func projected() []string {
	return []string{signal.AttrDirtySince, signal.AttrTTL, signal.AttrNotBefore}
}

func (x *exam) table(ctx context.Context) error {
	out, err := x.DynamoDB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &x.Table})
	if errors.Is(dynamo.Classify(err), dynamo.ErrTableNotFound) {
		return fmt.Errorf("examine table %q: %w", x.Table, dynamo.Classify(err))
	}
	if err != nil {
		x.failed(AreaTable, "dynamodb:DescribeTable", x.Table, err)
		return context.Cause(ctx)
	}
	t := out.Table
	if t.TableStatus != types.TableStatusActive && t.TableStatus != types.TableStatusUpdating {
		x.find(AreaTable, Fault, x.Table, "the table is "+string(t.TableStatus), "wait until it is ACTIVE")
	}
	if got, want := keys(t.KeySchema, t.AttributeDefinitions), "pk S, sk S"; got != want {
		x.find(AreaTable, Fault, x.Table, fmt.Sprintf("its key is %s, not %s", got, want), "signals need a table with the key pk (String), sk (String): make one, and point table_name at it")
	}
	x.cadenceIndex(t)
	x.globalIDIndex(t)
	x.ttl(ctx)
	return nil
}

func (x *exam) cadenceIndex(t *types.TableDescription) {
	const make = "create an index of gsipk (String) and gsisk (String) that includes dirtySince, ttl and notBefore, or name the one there is (cadence_index_name, AVAILABILITY_CADENCE_INDEX_NAME)"
	ix, ok := x.index(t, x.CadenceIndex)
	if !ok {
		x.find(AreaTable, Fault, x.CadenceIndex, "the table has no such index, so that no run finds a dirty signal", make)
		return
	}
	if got, want := keys(ix.KeySchema, t.AttributeDefinitions), "gsipk S, gsisk S"; got != want {
		x.find(AreaTable, Fault, x.CadenceIndex, fmt.Sprintf("its key is %s, not %s", got, want), make)
		return
	}
	switch projection := ix.Projection; projection.ProjectionType {
	case types.ProjectionTypeAll:
		x.find(AreaTable, Note, x.CadenceIndex, "it projects everything: each check costs one write unit more, and the write budget does not know it",
			"nothing, if the platform needs it so; else an index with only dirtySince, ttl and notBefore. Halve write_budget")
	default:
		for _, attr := range projected() {
			if !slices.Contains(projection.NonKeyAttributes, attr) {
				x.find(AreaTable, Fault, x.CadenceIndex, "it does not project "+attr+", by which a run tells what is due, oldest first", make)
			}
		}
	}
}

func (x *exam) globalIDIndex(t *types.TableDescription) {
	ix, ok := x.index(t, x.GlobalIDIndex)
	const make = "create an index of globalId (String), KEYS_ONLY, or name the one there is (global_id_index_name, -global-id-index)"
	if !ok {
		x.find(AreaTable, Warning, x.GlobalIDIndex, "the table has no such index: signals cannot be found by their globalId", make)
		return
	}
	if got := keys(ix.KeySchema, t.AttributeDefinitions); got != "globalId S" && !strings.HasPrefix(got, "globalId S, ") {
		x.find(AreaTable, Warning, x.GlobalIDIndex, fmt.Sprintf("its key is %s, not globalId S", got), make)
	}
	if ix.Projection.ProjectionType == types.ProjectionTypeAll {
		x.find(AreaTable, Note, x.GlobalIDIndex, "it projects everything: every write of a signal costs one unit more", "nothing, if the platform needs it so; else KEYS_ONLY")
	}
}

func (x *exam) index(t *types.TableDescription, name string) (types.GlobalSecondaryIndexDescription, bool) {
	for _, ix := range t.GlobalSecondaryIndexes {
		if aws.ToString(ix.IndexName) != name {
			continue
		}
		if ix.Projection == nil {
			ix.Projection = &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
		}
		if ix.IndexStatus == types.IndexStatusCreating || ix.IndexStatus == types.IndexStatusDeleting {
			x.find(AreaTable, Fault, name, "the index is "+string(ix.IndexStatus), "wait until it is ACTIVE")
		}
		return ix, true
	}
	return types.GlobalSecondaryIndexDescription{}, false
}

func (x *exam) ttl(ctx context.Context) {
	const make = "turn TTL on for the attribute ttl (aws_dynamodb_table's ttl block)"
	out, err := x.DynamoDB.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &x.Table})
	if err != nil {
		x.failed(AreaTable, "dynamodb:DescribeTimeToLive", x.Table, err)
		return
	}
	d := out.TimeToLiveDescription
	if d == nil {
		d = &types.TimeToLiveDescription{}
	}
	on := d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling
	switch attr := aws.ToString(d.AttributeName); {
	case !on:
		x.find(AreaTable, Warning, x.Table, "TTL is off: only the sweep of the runs removes what has expired", make)
	case attr != signal.AttrTTL:
		x.find(AreaTable, Warning, x.Table, fmt.Sprintf("TTL goes by %q, not by ttl: only the sweep of the runs removes what has expired", attr), "a table has one TTL attribute: give signals a table of their own, or rely on the sweep")
	}
}

// keys is a key as text: "pk S, sk S".
func keys(schema []types.KeySchemaElement, definitions []types.AttributeDefinition) string {
	var parts []string
	for _, kind := range []types.KeyType{types.KeyTypeHash, types.KeyTypeRange} {
		for _, e := range schema {
			if e.KeyType != kind {
				continue
			}
			part := aws.ToString(e.AttributeName)
			for _, d := range definitions {
				if aws.ToString(d.AttributeName) == part {
					part += " " + string(d.AttributeType)
					break
				}
			}
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
