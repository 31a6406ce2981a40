// Package acctest is what acceptance tests share: the provider in-process, a
// table of the contract's shape, clients, and a proxy that injects faults.
//
// Where AWS is comes from the environment, as for every AWS tool: a local engine
// that AWS_ENDPOINT_URL names, or AWS itself.
package acctest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/logging"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The names of the indexes of a test's table: the provider's defaults.
const (
	CadenceIndex  = "cadence-index"
	GlobalIDIndex = "globalId-index"
)

// Factories runs the provider inside the test.
func Factories(opts ...provider.Option) map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"availability": providerserver.NewProtocol6WithError(provider.New("test", opts...)()),
	}
}

// PreCheck fails the test when TF_ACC is set and there is no AWS to be reached,
// and skips it when TF_ACC is not set, as terraform-plugin-testing does.
func PreCheck(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test: set TF_ACC=1, or run make test")
	}
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	_, err := dynamodb.NewFromConfig(awsConfig(t)).ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	if err != nil {
		t.Fatalf("TF_ACC is set, but AWS cannot be reached: run make test, which starts a local one, or set AWS_ENDPOINT_URL, AWS_REGION and credentials: %v", err)
	}
}

// DynamoDB is a client for a test's own looks and changes.
func DynamoDB(t *testing.T) *dynamodb.Client {
	t.Helper()
	PreCheck(t)
	return dynamodb.NewFromConfig(awsConfig(t))
}

// EventBridge is a client for a test's own looks and changes.
func EventBridge(t *testing.T) *eventbridge.Client {
	t.Helper()
	PreCheck(t)
	return eventbridge.NewFromConfig(awsConfig(t))
}

// Lambda is a client for a test's own invocations.
func Lambda(t *testing.T) *lambda.Client {
	t.Helper()
	PreCheck(t)
	return lambda.NewFromConfig(awsConfig(t))
}

func awsConfig(t *testing.T) aws.Config {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithLogger(logging.Nop{}))
	if err != nil {
		t.Fatalf("read AWS configuration: %v", err)
	}
	return cfg
}

// Name is a name that no other test uses, of 1 to 20 characters of prefix and
// eight of its own.
func Name(prefix string) string {
	random := make([]byte, 4)
	// Documented never to fail.
	_, _ = rand.Read(random)
	return prefix + "-" + hex.EncodeToString(random)
}

// Table creates a table with both indexes and TTL, and deletes it at the end of
// the test.
func Table(t *testing.T) string {
	t.Helper()
	name := Name("availability-test")
	CreateTable(t, name)
	t.Cleanup(func() { DeleteTable(t, name) })
	return name
}

// DeleteTable deletes a table, if it is there.
func DeleteTable(t *testing.T, name string) {
	t.Helper()
	// At a clean-up, the test's own context has ended.
	ctx := context.WithoutCancel(t.Context())
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}))
	if err == nil {
		_, err = dynamodb.NewFromConfig(cfg).DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	}
	if _, gone := errors.AsType[*types.ResourceNotFoundException](err); err != nil && !gone {
		t.Errorf("delete table %q: %v", name, err)
	}
}

// CreateTable creates a table of that name, which the test deletes itself.
func CreateTable(t *testing.T, name string) {
	t.Helper()
	client := DynamoDB(t)
	ctx := t.Context()
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			stringAttribute("pk"), stringAttribute("sk"),
			stringAttribute("gsipk"), stringAttribute("gsisk"), stringAttribute("globalId"),
		},
		KeySchema: []types.KeySchemaElement{key("pk", types.KeyTypeHash), key("sk", types.KeyTypeRange)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{
				IndexName: aws.String(CadenceIndex),
				KeySchema: []types.KeySchemaElement{key("gsipk", types.KeyTypeHash), key("gsisk", types.KeyTypeRange)},
				Projection: &types.Projection{
					ProjectionType:   types.ProjectionTypeInclude,
					NonKeyAttributes: signal.Projected(),
				},
			},
			{
				IndexName:  aws.String(GlobalIDIndex),
				KeySchema:  []types.KeySchemaElement{key("globalId", types.KeyTypeHash)},
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
			},
		},
	})
	// The SDK sends it again when the answer is lost.
	if _, made := errors.AsType[*types.ResourceInUseException](err); err != nil && !made {
		t.Fatalf("create table %q: %v", name, err)
	}
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 20 * time.Millisecond })
	if err := active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, 2*time.Minute); err != nil {
		t.Fatalf("wait for table %q: %v", name, err)
	}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(true)},
	})
	if err != nil {
		t.Fatalf("turn on TTL of table %q: %v", name, err)
	}
}

func stringAttribute(name string) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
}

func key(name string, kind types.KeyType) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
}

// PlatformTable creates a table of a platform's own, with the keys of any other
// table here and whatever else in says, and deletes it at the end of the test.
// Attributes are those that are keys of its indexes.
func PlatformTable(t *testing.T, in *dynamodb.CreateTableInput, attributes ...string) {
	t.Helper()
	in.BillingMode = types.BillingModePayPerRequest
	in.KeySchema = []types.KeySchemaElement{key("pk", types.KeyTypeHash), key("sk", types.KeyTypeRange)}
	for _, name := range append(attributes, "pk", "sk") {
		in.AttributeDefinitions = append(in.AttributeDefinitions, stringAttribute(name))
	}
	client := DynamoDB(t)
	t.Cleanup(func() { DeleteTable(t, *in.TableName) })
	// In use is what the SDK gets when it repeats what had been done.
	_, err := client.CreateTable(t.Context(), in)
	if _, made := errors.AsType[*types.ResourceInUseException](err); err != nil && !made {
		t.Fatal(err)
	}
	if err := dynamodb.NewTableExistsWaiter(client).Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: in.TableName}, 2*time.Minute); err != nil {
		t.Fatal(err)
	}
}
