package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// LayoutAPI is what ReadLayout and ReadTTL call of the SDK.
type LayoutAPI interface {
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
}

// Layout is how a table is made, as far as signals depend on it.
type Layout struct {
	Keys Keys
	// Indexes are the global ones by their names, those that are being deleted left
	// out.
	Indexes map[string]Index
}

// Keys are the key of a table or of an index.
type Keys struct{ Partition, Sort Attribute }

// Attribute is one of a key. The zero one is none.
type Attribute struct {
	Name string
	// Type is S, N or B.
	Type string
}

// Text is a key attribute that holds text.
func Text(name string) Attribute {
	return Attribute{Name: name, Type: string(types.ScalarAttributeTypeS)}
}

// Index is a global secondary index.
type Index struct {
	Keys Keys
	// All is that it has all attributes of the items; otherwise it has those of Attrs
	// beside the keys.
	All   bool
	Attrs []string
}

func (k Keys) String() string {
	if k.Sort == (Attribute{}) {
		return k.Partition.String()
	}
	return k.Partition.String() + " and " + k.Sort.String()
}

func (a Attribute) String() string {
	kind := map[string]string{"S": "string", "N": "number", "B": "binary"}[a.Type]
	return fmt.Sprintf("%s (%s)", a.Name, kind)
}

// ReadLayout reads how a table is made, but for its TTL. The error may be
// ErrTableNotFound, or ErrAccessDenied where DescribeTable is not allowed.
func ReadLayout(ctx context.Context, api LayoutAPI, table string) (Layout, error) {
	out, err := api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return Layout{}, fmt.Errorf("describe table %q: %w", table, classify(err))
	}
	kinds := map[string]string{}
	for _, a := range out.Table.AttributeDefinitions {
		kinds[aws.ToString(a.AttributeName)] = string(a.AttributeType)
	}
	l := Layout{Keys: keysOf(out.Table.KeySchema, kinds), Indexes: map[string]Index{}}
	for _, i := range out.Table.GlobalSecondaryIndexes {
		if i.IndexStatus == types.IndexStatusDeleting {
			continue
		}
		index := Index{Keys: keysOf(i.KeySchema, kinds)}
		if p := i.Projection; p != nil {
			index.All, index.Attrs = p.ProjectionType == types.ProjectionTypeAll, p.NonKeyAttributes
		}
		l.Indexes[aws.ToString(i.IndexName)] = index
	}
	return l, nil
}

// ReadTTL reads by the time in which attribute a table's items are deleted; "" if
// none are. The errors are as of ReadLayout, of DescribeTimeToLive.
func ReadTTL(ctx context.Context, api LayoutAPI, table string) (string, error) {
	out, err := api.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table})
	if err != nil {
		return "", fmt.Errorf("describe TTL of table %q: %w", table, classify(err))
	}
	ttl := out.TimeToLiveDescription
	if ttl == nil || ttl.TimeToLiveStatus != types.TimeToLiveStatusEnabled && ttl.TimeToLiveStatus != types.TimeToLiveStatusEnabling {
		return "", nil
	}
	return aws.ToString(ttl.AttributeName), nil
}

func keysOf(schema []types.KeySchemaElement, kinds map[string]string) Keys {
	var k Keys
	for _, e := range schema {
		a := Attribute{Name: aws.ToString(e.AttributeName)}
		a.Type = kinds[a.Name]
		if e.KeyType == types.KeyTypeRange {
			k.Sort = a
		} else {
			k.Partition = a
		}
	}
	return k
}
