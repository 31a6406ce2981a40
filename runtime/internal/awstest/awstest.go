// Package awstest gives tests a local DynamoDB, with tables of their own.
package awstest

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Names of the indexes of a table.
const (
	CadenceIndex  = "cadence-index"
	GlobalIDIndex = "globalId-index"
)

// DynamoDB returns a client of the DynamoDB at AWS_ENDPOINT_URL. Without one the
// test fails, but for -short, which skips it: it never falls back to an account
// that the machine may have credentials of.
func DynamoDB(t testing.TB) *dynamodb.Client {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a DynamoDB; not with -short")
	}
	url := os.Getenv("AWS_ENDPOINT_URL")
	if url == "" {
		t.Fatal("needs a DynamoDB at AWS_ENDPOINT_URL: `make test` brings a local one, `go test -short` leaves this test out")
	}
	return dynamodb.New(dynamodb.Options{
		Region:       os.Getenv("AWS_REGION"),
		BaseEndpoint: &url,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY")}, nil
		}),
	})
}

// Projection is what the cadence index carries beside its keys.
type Projection uint8

const (
	// Included are the attributes that a run reads.
	Included Projection = iota
	// All is a generic index that a platform already has.
	All
	// NoIndex is a table without indexes.
	NoIndex
)

// Table creates a table of the contract's shape, and deletes it when the test is
// over.
func Table(t testing.TB, db *dynamodb.Client, p Projection) string {
	t.Helper()
	name := "availability-test-" + rand.Text()
	in := Definition(name, p)
	// In use is what the SDK gets when it repeats what had been done: nobody else
	// has this name.
	if _, err := db.CreateTable(t.Context(), in); err != nil && !isA[*types.ResourceInUseException](err) {
		t.Fatalf("create table: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if _, err := db.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name}); err != nil && !isA[*types.ResourceNotFoundException](err) {
			t.Errorf("delete table: %v", err)
		}
	})
	if err := dynamodb.NewTableExistsWaiter(db).Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}, 2*time.Minute); err != nil {
		t.Fatalf("wait for table: %v", err)
	}
	return name
}

// Definition is such a table, under another name.
func Definition(name string, p Projection) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		KeySchema:            keys(signal.AttrPK, signal.AttrSK),
		AttributeDefinitions: definitions(signal.AttrPK, signal.AttrSK),
	}
	if p != NoIndex {
		in.AttributeDefinitions = definitions(signal.AttrPK, signal.AttrSK, signal.AttrGSIPK, signal.AttrGSISK, signal.AttrGlobalID)
		in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{
			{IndexName: aws.String(CadenceIndex), KeySchema: keys(signal.AttrGSIPK, signal.AttrGSISK), Projection: projection(p)},
			{IndexName: aws.String(GlobalIDIndex), KeySchema: keys(signal.AttrGlobalID), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}},
		}
	}
	return in
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func projection(p Projection) *types.Projection {
	if p == All {
		return &types.Projection{ProjectionType: types.ProjectionTypeAll}
	}
	return &types.Projection{
		ProjectionType:   types.ProjectionTypeInclude,
		NonKeyAttributes: signal.Projected(),
	}
}

func keys(names ...string) []types.KeySchemaElement {
	schema := make([]types.KeySchemaElement, len(names))
	for i, kind := range []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[:len(names)] {
		schema[i] = types.KeySchemaElement{AttributeName: &names[i], KeyType: kind}
	}
	return schema
}

func definitions(names ...string) []types.AttributeDefinition {
	d := make([]types.AttributeDefinition, len(names))
	for i := range names {
		d[i] = types.AttributeDefinition{AttributeName: &names[i], AttributeType: types.ScalarAttributeTypeS}
	}
	return d
}
