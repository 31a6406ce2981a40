package doctor_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/doctor"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	table    = "signals"
	function = "arn:aws:lambda:ca-central-1:000000000000:function:availability"
	ruleName = "availability-signals-5min"
	ruleARN  = "arn:aws:events:ca-central-1:000000000000:rule/" + ruleName
)

var now = time.Date(2026, time.July, 1, 12, 5, 0, 0, time.UTC)

// world is a table and all around it, in good health; tests spoil parts of it.
type world struct {
	*testing.T
	client *simulator.Client
	store  *dynamo.Store

	desc types.TableDescription
	ttl  types.TimeToLiveDescription

	rules   map[string]eventbridge.DescribeRuleOutput
	targets map[string][]eventtypes.Target

	// config and policy are nil for a function that there is not, and for one that
	// nobody may invoke.
	config      *lambda.GetFunctionConfigurationOutput
	async       *lambda.GetFunctionEventInvokeConfigOutput
	concurrency lambda.GetFunctionConcurrencyOutput
	policy      *string
	mappings    []lambdatypes.EventSourceMappingConfiguration
	answer      lambda.InvokeOutput

	// denied are the calls that are.
	denied map[string]bool
	// skew is by how much the service's clock is ahead of the doctor's.
	skew time.Duration
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := simulator.New(simulator.Config{Clock: simulator.NewClock(now)})
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	client := db.Client("doctor")
	w := &world{T: t, client: client, store: dynamo.NewStore(client, table), denied: map[string]bool{}}
	key := func(names ...string) []types.KeySchemaElement {
		schema := []types.KeySchemaElement{{AttributeName: aws.String(names[0]), KeyType: types.KeyTypeHash}}
		for _, n := range names[1:] {
			schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(n), KeyType: types.KeyTypeRange})
		}
		return schema
	}
	for _, name := range []string{"pk", "sk", "gsipk", "gsisk", "globalId"} {
		w.desc.AttributeDefinitions = append(w.desc.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS})
	}
	w.desc.TableStatus, w.desc.KeySchema = types.TableStatusActive, key("pk", "sk")
	w.desc.GlobalSecondaryIndexes = []types.GlobalSecondaryIndexDescription{
		{
			IndexName: aws.String("cadence-index"), IndexStatus: types.IndexStatusActive, KeySchema: key("gsipk", "gsisk"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"dirtySince", "ttl", "notBefore"}},
		},
		{
			IndexName: aws.String("globalId-index"), IndexStatus: types.IndexStatusActive, KeySchema: key("globalId"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		},
	}
	w.desc.StreamSpecification, w.desc.LatestStreamArn = &types.StreamSpecification{StreamEnabled: aws.Bool(true)}, aws.String("arn:aws:dynamodb:stream")
	w.ttl = types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: aws.String("ttl")}

	w.rules = map[string]eventbridge.DescribeRuleOutput{ruleName: {State: eventtypes.RuleStateEnabled, ScheduleExpression: aws.String("rate(5 minutes)")}}
	w.targets = map[string][]eventtypes.Target{ruleName: {target("cadenceBucket::5min")}}

	w.config = &lambda.GetFunctionConfigurationOutput{
		State: lambdatypes.StateActive, Timeout: aws.Int32(60), Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Environment: &lambdatypes.EnvironmentResponse{Variables: map[string]string{"AVAILABILITY_TABLE_NAME": table}},
	}
	w.async = &lambda.GetFunctionEventInvokeConfigOutput{
		MaximumRetryAttempts: aws.Int32(0), MaximumEventAgeInSeconds: aws.Int32(300),
		DestinationConfig: &lambdatypes.DestinationConfig{OnFailure: &lambdatypes.OnFailure{Destination: aws.String("arn:aws:sqs:x")}},
	}
	w.policy = aws.String(`{"Statement": [{"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": "lambda:InvokeFunction",
		"Condition": {"ArnLike": {"AWS:SourceArn": "arn:aws:events:ca-central-1:000000000000:rule/availability-*"}}}]}`)
	w.mappings = []lambdatypes.EventSourceMappingConfiguration{{
		UUID: aws.String("m-1"), FunctionArn: aws.String(function + ":live"), State: aws.String("Enabled"), LastProcessingResult: aws.String("OK"),
		FunctionResponseTypes: []lambdatypes.FunctionResponseType{lambdatypes.FunctionResponseTypeReportBatchItemFailures},
		DestinationConfig:     &lambdatypes.DestinationConfig{OnFailure: &lambdatypes.OnFailure{Destination: aws.String("arn:aws:sqs:x")}},
		FilterCriteria:        filters("inventoryPool::", "productDate::", "product::"),
	}}
	w.answer = lambda.InvokeOutput{Payload: []byte(`{"task": "explain", "inventory": {"available": 12, "capacity": 20}}`)}
	w.register("5min", ruleARN)
	w.ran("5min", signal.FormatInstant(now.Add(-2*time.Minute)), 0)
	w.seed(5, nil)
	return w
}

// unknownSkew is one that cannot be told.
const unknownSkew = 4 * time.Hour

func target(bucket string) eventtypes.Target {
	return eventtypes.Target{Id: aws.String("runtime"), Arn: aws.String(function), Input: aws.String(`{"cadenceBucket": "` + bucket + `"}`)}
}

func filters(prefixes ...string) *lambdatypes.FilterCriteria {
	c := &lambdatypes.FilterCriteria{}
	for _, p := range prefixes {
		c.Filters = append(c.Filters, lambdatypes.Filter{Pattern: aws.String(fmt.Sprintf(`{"dynamodb": {"Keys": {"pk": {"S": [{"prefix": %q}]}}}}`, p))})
	}
	return c
}

func (w *world) put(key signal.Key, item signal.Item) {
	w.Helper()
	item = item.Clone()
	item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
	if _, err := w.store.Write(w.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) register(name, rule string, changes ...func(*signal.Bucket)) {
	w.Helper()
	b := signal.Bucket{
		Name: name, Cadence: signal.Cadence{Minutes: 5}, ScheduleExpression: "rate(5 minutes)", Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "bucket " + name, RuleARN: rule,
	}
	for _, change := range changes {
		change(&b)
	}
	w.put(signal.RegistryKey(name), b.Item())
}

func (w *world) ran(name, at string, failed int64) {
	w.Helper()
	w.put(signal.RunKey(name), signal.Item{
		protocol.AttrStartedAt: signal.S(at), protocol.AttrLastRunAt: signal.S(at),
		protocol.AttrReport: signal.M(map[string]signal.Value{"failed": signal.N(failed)}),
	})
}

// seed puts a signal there, clean and with a value.
func (w *world) seed(day int, change func(signal.Item)) {
	w.Helper()
	d := signal.ProductDate{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "camp", ActivityID: "1", ProductID: "1"},
		Date:    signal.Date{Year: 2026, Month: time.July, Day: day},
	}
	item := protocol.Seed(protocol.Seeding{
		ProductDate: d, GSIPK: signal.BucketID("5min"), GlobalID: "seeded", SeededBy: "stream", Pattern: signal.Pattern{Mode: signal.Exact},
		Expiry: signal.Expiry(d.Date, time.UTC), Value: "12",
	}, now).Item
	if change != nil {
		change(item)
	}
	w.put(d.Key(), item)
}

func (w *world) examine() doctor.Report {
	w.Helper()
	d := &doctor.Doctor{
		DynamoDB: tables{w.client, w}, Rules: w, Functions: w, Table: table, Inventory: table,
		CadenceIndex: "cadence-index", GlobalIDIndex: "globalId-index", Now: func() time.Time { return w.client.Now().Add(-w.skew) },
		Skew: func(context.Context) (time.Duration, bool) { return w.skew, w.skew != unknownSkew },
	}
	r, err := d.Examine(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// refused is AWS's answer to a call that is denied, or nil.
func (w *world) refused(call string) error {
	if !w.denied[call] {
		return nil
	}
	return &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "not authorized to perform " + call}
}

var errMissing = &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "not there"}

// tables is the simulator with what it does not simulate.
type tables struct {
	*simulator.Client
	w *world
}

func (t tables) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return &dynamodb.DescribeTableOutput{Table: &t.w.desc}, t.w.refused("DescribeTable")
}

func (t tables) DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: &t.w.ttl}, t.w.refused("DescribeTimeToLive")
}

func (t tables) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if err := t.w.refused("GetItem"); err != nil {
		return nil, err
	}
	return t.Client.GetItem(ctx, in, options...)
}

func (t tables) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	if err := t.w.refused("BatchGetItem"); err != nil {
		return nil, err
	}
	return t.Client.BatchGetItem(ctx, in, options...)
}

func (t tables) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if err := t.w.refused("PutItem"); err != nil {
		return nil, err
	}
	return t.Client.PutItem(ctx, in, options...)
}

func (t tables) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if err := t.w.refused("DeleteItem"); err != nil {
		return nil, err
	}
	return t.Client.DeleteItem(ctx, in, options...)
}

func (t tables) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if err := t.w.refused("UpdateItem"); err != nil {
		return nil, err
	}
	return t.Client.UpdateItem(ctx, in, options...)
}

func (t tables) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if err := t.w.refused("Query " + aws.ToString(in.IndexName)); err != nil {
		return nil, err
	}
	return t.Client.Query(ctx, in, options...)
}

func (t tables) Scan(ctx context.Context, in *dynamodb.ScanInput, options ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	if err := t.w.refused("Scan"); err != nil {
		return nil, err
	}
	return t.Client.Scan(ctx, in, options...)
}

func (w *world) DescribeRule(_ context.Context, in *eventbridge.DescribeRuleInput, _ ...func(*eventbridge.Options)) (*eventbridge.DescribeRuleOutput, error) {
	rule, ok := w.rules[*in.Name]
	if !ok {
		return nil, errMissing
	}
	return &rule, w.refused("DescribeRule")
}

func (w *world) ListTargetsByRule(_ context.Context, in *eventbridge.ListTargetsByRuleInput, _ ...func(*eventbridge.Options)) (*eventbridge.ListTargetsByRuleOutput, error) {
	return &eventbridge.ListTargetsByRuleOutput{Targets: w.targets[*in.Rule]}, w.refused("ListTargetsByRule")
}

func (w *world) ListRuleNamesByTarget(context.Context, *eventbridge.ListRuleNamesByTargetInput, ...func(*eventbridge.Options)) (*eventbridge.ListRuleNamesByTargetOutput, error) {
	var names []string
	for name := range w.targets {
		names = append(names, name)
	}
	return &eventbridge.ListRuleNamesByTargetOutput{RuleNames: names}, w.refused("ListRuleNamesByTarget")
}

func (w *world) GetFunctionConfiguration(context.Context, *lambda.GetFunctionConfigurationInput, ...func(*lambda.Options)) (*lambda.GetFunctionConfigurationOutput, error) {
	if w.config == nil {
		return nil, errMissing
	}
	return w.config, w.refused("GetFunctionConfiguration")
}

func (w *world) GetFunctionEventInvokeConfig(context.Context, *lambda.GetFunctionEventInvokeConfigInput, ...func(*lambda.Options)) (*lambda.GetFunctionEventInvokeConfigOutput, error) {
	if w.async == nil {
		return nil, errMissing
	}
	return w.async, w.refused("GetFunctionEventInvokeConfig")
}

func (w *world) GetFunctionConcurrency(context.Context, *lambda.GetFunctionConcurrencyInput, ...func(*lambda.Options)) (*lambda.GetFunctionConcurrencyOutput, error) {
	return &w.concurrency, w.refused("GetFunctionConcurrency")
}

func (w *world) GetPolicy(context.Context, *lambda.GetPolicyInput, ...func(*lambda.Options)) (*lambda.GetPolicyOutput, error) {
	if w.policy == nil {
		return nil, errMissing
	}
	return &lambda.GetPolicyOutput{Policy: w.policy}, w.refused("GetPolicy")
}

func (w *world) ListEventSourceMappings(context.Context, *lambda.ListEventSourceMappingsInput, ...func(*lambda.Options)) (*lambda.ListEventSourceMappingsOutput, error) {
	return &lambda.ListEventSourceMappingsOutput{EventSourceMappings: w.mappings}, w.refused("ListEventSourceMappings")
}

func (w *world) Invoke(context.Context, *lambda.InvokeInput, ...func(*lambda.Options)) (*lambda.InvokeOutput, error) {
	if n := w.concurrency.ReservedConcurrentExecutions; n != nil && *n == 0 {
		return nil, &lambdatypes.TooManyRequestsException{}
	}
	return &w.answer, w.refused("Invoke")
}
