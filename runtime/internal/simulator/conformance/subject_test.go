package conformance_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// aws is the engine's name where AVAILABILITY_LOCAL_ENGINE names none.
const aws = "aws"

// api is what the simulator has of the SDK.
type api interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
	BatchExecuteStatement(context.Context, *dynamodb.BatchExecuteStatementInput, ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

var (
	_ api = (*dynamodb.Client)(nil)
	_ api = (*simulator.Client)(nil)
)

// The indexes of the table that the cases are run on, beside the contract's.
const (
	cadenceIndex  = simulator.CadenceIndex
	globalIDIndex = simulator.GlobalIDIndex
	allIndex      = "all-index"
)

// shape is the table's: the contract's, with an index more that has everything
// and a number for a sort key.
func shape(name string) simulator.Table {
	t := simulator.SignalTable(name, types.ProjectionTypeInclude)
	t.TTL = ""
	t.Indexes = append(t.Indexes, simulator.Index{
		Name: allIndex, Hash: simulator.Key{Name: "ipk"},
		Range:      simulator.Key{Name: "isk", Type: types.ScalarAttributeTypeN},
		Projection: types.ProjectionTypeAll,
	})
	return t
}

// subjects is a table that every case has a partition of.
type subjects struct {
	api      api
	table    string
	patience time.Duration
}

// subject is what one case is run on.
type subject struct {
	*testing.T
	api       api
	table, pk string
	patience  time.Duration
}

func (s *subjects) subject(t *testing.T, name string) *subject {
	return &subject{T: t, api: s.api, table: s.table, pk: name, patience: s.patience}
}

func simulated() *subjects {
	db := simulator.New(simulator.Config{})
	db.CreateTable(shape("signals"))
	return &subjects{api: db.Client("conformance"), table: "signals"}
}

// engine is a table of the test's own, on the engine that the environment names.
func engine(t *testing.T) (name string, s *subjects) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a DynamoDB")
	}
	name = os.Getenv("AVAILABILITY_LOCAL_ENGINE")
	if name == "" && os.Getenv("TF_ACC") == "" {
		t.Fatal("needs a DynamoDB: run it by .ci/local-aws -- go test ./runtime/internal/simulator/..., or with -short to leave it out")
	}
	s = &subjects{table: "availability-conformance-" + rand.Text()}
	if name == "" {
		name, s.patience = aws, 20*time.Second
	}
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		// moto answers 500 to what it cannot do; that is an answer too.
		o.RetryMaxAttempts = 2
		o.Logger = logging.Nop{}
	})
	create(t, client, shape(s.table))
	s.api = client
	return name, s
}

func create(t *testing.T, client *dynamodb.Client, shape simulator.Table) {
	t.Helper()
	in := &dynamodb.CreateTableInput{TableName: &shape.Name, BillingMode: types.BillingModePayPerRequest}
	define := func(keys ...simulator.Key) (schema []types.KeySchemaElement) {
		kind := types.KeyTypeHash
		for _, k := range keys {
			if k.Name == "" {
				continue
			}
			if k.Type == "" {
				k.Type = types.ScalarAttributeTypeS
			}
			schema = append(schema, types.KeySchemaElement{AttributeName: &k.Name, KeyType: kind})
			in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &k.Name, AttributeType: k.Type})
			kind = types.KeyTypeRange
		}
		return schema
	}
	in.KeySchema = define(shape.Hash, shape.Range)
	for _, ix := range shape.Indexes {
		projection := &types.Projection{ProjectionType: ix.Projection, NonKeyAttributes: ix.Include}
		if ix.Projection == "" {
			projection.ProjectionType = types.ProjectionTypeKeysOnly
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &ix.Name, KeySchema: define(ix.Hash, ix.Range), Projection: projection,
		})
	}
	if _, err := client.CreateTable(t.Context(), in); err != nil {
		if _, twice := errors.AsType[*types.ResourceInUseException](err); !twice {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if _, err := client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &shape.Name}); err != nil {
			t.Error(err)
		}
	})
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 10 * time.Millisecond })
	if err := active.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &shape.Name}, 5*time.Minute); err != nil {
		t.Fatal(err)
	}
}

// outcome is what came of a request, as far as the cases look at it.
type outcome struct {
	// Code is the error's, or "" for none; Message is part of its text.
	Code    string
	Message message
	// Old is the item that a condition did not hold for.
	Old plain
	// Attributes are those of a single answer; Items those of a list.
	Attributes     plain
	Items          []plain
	Count, Scanned int32
	// More is set if there is another page.
	More bool
	// Codes are a transaction's reasons, or a batch's errors, in order, and Olds
	// the items with them.
	Codes []string
	Olds  []plain
	// Stored is the case's partition afterwards.
	Stored []plain
	// Units are what the request cost, by "table" and by the index's name.
	Units map[string]float64
}

func failure(err error) outcome {
	out := outcome{Code: "no answer of the service: " + err.Error()}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		out.Code, out.Message = api.ErrorCode(), message(api.ErrorMessage())
	}
	if refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		out.Old = plainItem(refused.Item)
	}
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		for _, reason := range cancelled.CancellationReasons {
			code := "None"
			if reason.Code != nil {
				code = *reason.Code
			}
			out.Codes = append(out.Codes, code)
			out.Olds = append(out.Olds, plainItem(reason.Item))
		}
		if !slices.ContainsFunc(out.Olds, func(p plain) bool { return p != nil }) {
			out.Olds = nil
		}
	}
	return out
}

// here is an item or key in the case's own partition.
func (s *subject) here(it attributes) attributes {
	out := attributes{"pk": str(s.pk)}
	for name, v := range it {
		out[name] = v
	}
	return out
}

// at is the key of an item of the case.
func (s *subject) at(sk string) attributes { return s.here(item("sk", sk)) }

// own is a value of the case's own, for the indexes' partitions.
func (s *subject) own(name string) string { return s.pk + "/" + name }

// seed puts an item before the case. A string "own:x" stands for a value that is
// the case's own.
func (s *subject) seed(it attributes) {
	s.Helper()
	it = s.here(it)
	for name, v := range it {
		if v, ok := v.(*types.AttributeValueMemberS); ok {
			if own, is := strings.CutPrefix(v.Value, "own:"); is {
				it[name] = str(s.own(own))
			}
		}
	}
	if _, err := s.api.PutItem(s.Context(), &dynamodb.PutItemInput{TableName: &s.table, Item: it}); err != nil {
		s.Fatal(err)
	}
}

func (s *subject) stored() []plain {
	s.Helper()
	out, err := s.api.Query(s.Context(), &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: yes(),
		KeyConditionExpression:    text("#pk = :pk"),
		ExpressionAttributeNames:  map[string]string{"#pk": "pk"},
		ExpressionAttributeValues: attributes{":pk": str(s.pk)},
	})
	if err != nil {
		s.Fatal(err)
	}
	return plainItems(out.Items)
}

// token is a ClientRequestToken that is new.
func token(s *subject) string {
	s.Helper()
	return rand.Text()
}

// pause is how long an index is given to catch up, between two looks.
func (s *subject) pause() { time.Sleep(s.patience / 40) }

func text(t string) *string { return &t }

func yes() *bool {
	b := true
	return &b
}

func (s *subject) get(in *dynamodb.GetItemInput) outcome {
	s.defaults(&in.TableName)
	out, err := s.api.GetItem(s.Context(), in)
	if err != nil {
		return failure(err)
	}
	return outcome{Attributes: plainItem(out.Item), Units: units(out.ConsumedCapacity)}
}

func (s *subject) put(in *dynamodb.PutItemInput) outcome {
	s.defaults(&in.TableName)
	in.Item = s.here(in.Item)
	return s.putAsIs(in)
}

func (s *subject) putAsIs(in *dynamodb.PutItemInput) outcome {
	s.defaults(&in.TableName)
	out, err := s.api.PutItem(s.Context(), in)
	if err != nil {
		return s.after(failure(err))
	}
	return s.after(outcome{Attributes: plainItem(out.Attributes), Units: units(out.ConsumedCapacity)})
}

func (s *subject) update(in *dynamodb.UpdateItemInput) outcome {
	s.defaults(&in.TableName)
	if in.Key == nil {
		in.Key = s.at("a")
	}
	out, err := s.api.UpdateItem(s.Context(), in)
	if err != nil {
		return s.after(failure(err))
	}
	return s.after(outcome{Attributes: plainItem(out.Attributes), Units: units(out.ConsumedCapacity)})
}

func (s *subject) remove(in *dynamodb.DeleteItemInput) outcome {
	s.defaults(&in.TableName)
	if in.Key == nil {
		in.Key = s.at("a")
	}
	out, err := s.api.DeleteItem(s.Context(), in)
	if err != nil {
		return s.after(failure(err))
	}
	return s.after(outcome{Attributes: plainItem(out.Attributes), Units: units(out.ConsumedCapacity)})
}

func (s *subject) query(in *dynamodb.QueryInput) outcome {
	s.defaults(&in.TableName)
	out, err := s.api.Query(s.Context(), in)
	if err != nil {
		return failure(err)
	}
	return outcome{
		Items: plainItems(out.Items), Count: out.Count, Scanned: out.ScannedCount,
		More: len(out.LastEvaluatedKey) > 0, Units: units(out.ConsumedCapacity),
	}
}

// everything reads all pages of a query.
func (s *subject) everything(in *dynamodb.QueryInput) outcome {
	s.defaults(&in.TableName)
	var all outcome
	for pages := 0; ; pages++ {
		out, err := s.api.Query(s.Context(), in)
		if err != nil {
			return failure(err)
		}
		all.Items = append(all.Items, plainItems(out.Items)...)
		all.Count += out.Count
		all.Scanned += out.ScannedCount
		if len(out.LastEvaluatedKey) == 0 {
			all.More = pages > 0
			return all
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func (s *subject) transact(in *dynamodb.TransactWriteItemsInput) outcome {
	for i := range in.TransactItems {
		e := &in.TransactItems[i]
		switch {
		case e.Put != nil:
			s.defaults(&e.Put.TableName)
		case e.Update != nil:
			s.defaults(&e.Update.TableName)
		case e.Delete != nil:
			s.defaults(&e.Delete.TableName)
		case e.ConditionCheck != nil:
			s.defaults(&e.ConditionCheck.TableName)
		}
	}
	out, err := s.api.TransactWriteItems(s.Context(), in)
	if err != nil {
		return s.after(failure(err))
	}
	return s.after(outcome{Units: units(pointers(out.ConsumedCapacity)...)})
}

func (s *subject) statements(statements ...types.BatchStatementRequest) outcome {
	out, err := s.api.BatchExecuteStatement(s.Context(), &dynamodb.BatchExecuteStatementInput{
		Statements: statements, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	if err != nil {
		return s.after(failure(err))
	}
	o := outcome{}
	for _, r := range out.Responses {
		code, old := "", plain(nil)
		if r.Error != nil {
			code, old = string(r.Error.Code), plainItem(r.Error.Item)
		}
		o.Codes, o.Olds = append(o.Codes, code), append(o.Olds, old)
	}
	if !slices.ContainsFunc(o.Olds, func(p plain) bool { return p != nil }) {
		o.Olds = nil
	}
	o.Units = units(pointers(out.ConsumedCapacity)...)
	return s.after(o)
}

func (s *subject) defaults(table **string) {
	if *table == nil {
		*table = &s.table
	}
}

func (s *subject) after(o outcome) outcome {
	s.Helper()
	o.Stored = s.stored()
	return o
}

func pointers(list []types.ConsumedCapacity) (out []*types.ConsumedCapacity) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// units adds up what an answer says it cost.
func units(consumed ...*types.ConsumedCapacity) map[string]float64 {
	out := map[string]float64{}
	for _, c := range consumed {
		if c == nil {
			continue
		}
		if c.Table != nil && c.Table.CapacityUnits != nil {
			out["table"] += *c.Table.CapacityUnits
		}
		for name, ix := range c.GlobalSecondaryIndexes {
			if ix.CapacityUnits != nil {
				out[name] += *ix.CapacityUnits
			}
		}
	}
	return out
}
