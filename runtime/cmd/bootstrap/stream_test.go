package main_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// streamRecord is a record as an event source mapping hands it over.
func streamRecord(sequence int, key signal.Key, change string) string {
	return fmt.Sprintf(`{"eventName": %q, "eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"pk": {"S": %q}, "sk": {"S": %q}}, "SequenceNumber": "%d"}}`,
		change, key.PK, key.SK, sequence)
}

func streamEvent(records ...string) string {
	return `{"Records": [` + strings.Join(records, ",") + `]}`
}

func putItem(t *testing.T, store *dynamo.Store, key signal.Key, item signal.Item) {
	t.Helper()
	item = item.Clone()
	item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
	if _, err := store.Write(t.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func removeItem(t *testing.T, store *dynamo.Store, key signal.Key) {
	t.Helper()
	if _, err := store.Write(t.Context(), protocol.Write{Op: "remove", Kind: protocol.Delete, Key: key}); err != nil {
		t.Fatal(err)
	}
}

func campOn(t *testing.T, date string) signal.ProductDate {
	t.Helper()
	d, err := signal.ParseDate(date)
	if err != nil {
		t.Fatal(err)
	}
	return signal.ProductDate{Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}, Date: d}
}

func dateKey(d signal.ProductDate) signal.Key {
	return signal.Key{PK: d.DatePKs()[0], SK: d.Date.String()}
}

func poolKey(d signal.ProductDate) signal.Key { return signal.Key{PK: d.PoolPK(), SK: "loop"} }

func pattern(mode string, cadence signal.Value) signal.Value {
	return signal.M(map[string]signal.Value{"estimationMode": signal.S(mode), "cadence": cadence})
}

func minutes(n int64) signal.Value { return signal.M(map[string]signal.Value{"minutes": signal.N(n)}) }

func TestBootstrap_streamRecords(t *testing.T) {
	db := awstest.DynamoDB(t)
	store, platform := newStore(t, db, awstest.Included), dynamo.NewStore(db, awstest.Table(t, db, awstest.NoIndex))
	l := start(t, build(t), lambdaEnv(map[string]string{
		"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_INVENTORY_TABLE_NAME": platform.Table(),
		"AVAILABILITY_DEFAULT_PATTERN": `{"estimationMode": "tiered", "cadence": {"minutes": 7}}`, "AVAILABILITY_DEFAULT_BUCKET": "5min",
	}))
	july1, july2, july3 := campOn(t, "2027-07-01"), campOn(t, "2027-07-02"), campOn(t, "2027-07-03")
	putItem(t, platform, july1.ItemKey(), signal.Item{"timezone": signal.S("America/Vancouver")})
	putItem(t, platform, dateKey(july1), signal.Item{"availabilityEstimationPattern": signal.Null()})
	putItem(t, platform, dateKey(july2), signal.Item{"availabilityEstimationPattern": pattern("exact", minutes(9))})
	awstest.Seed(t, store, july3, "5min", signal.Pattern{Mode: signal.Exact})

	ttl := strings.Replace(streamRecord(5, dateKey(july1), "REMOVE"), `"dynamodb":`,
		`"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}, "dynamodb":`, 1)
	a := l.invoke(streamEvent(
		streamRecord(1, poolKey(july3), "MODIFY"), streamRecord(2, dateKey(july1), "INSERT"), streamRecord(3, dateKey(july2), "INSERT"),
		`{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": 17, "SequenceNumber": "4"}}`, ttl, streamRecord(6, july1.Key(), "MODIFY"),
	))
	// Neither the record that cannot be read nor the bucket that is not there will
	// be there another time.
	if a.body != `{"batchItemFailures":[]}` {
		t.Errorf("answer %s", a.body)
	}
	is, err := store.Get(t.Context(), july1.Key())
	if err != nil || is.Text("gsisk") != "dirty" || is.Text("gsipk") != "cadenceBucket::5min" || is.Text("expiry") != "2027-07-02T07:00:00.000Z" || is.Text("seededBy") != "stream" {
		t.Errorf("signal %v, %v", is, err)
	}
	lines := l.logged("stream batch")
	if len(lines) != 1 {
		t.Fatalf("log: %s", l.log.String())
	}
	counts := map[string]any{}
	for name, n := range lines[0] {
		if n, ok := n.(float64); ok && n > 0 && name != "durationMs" {
			counts[name] = n
		}
	}
	wanted := map[string]any{"records": 6.0, "signals": 1.0, "flipped": 1.0, "seeded": 1.0, "left": 1.0, "poison": 1.0, "expired": 1.0, "ignored": 1.0}
	if diff := cmp.Diff(wanted, counts); diff != "" || lines[0]["requestId"] != "request-1" {
		t.Errorf("log line (-want +got):\n%s", diff)
	}
	problems := l.logged("stream problem")
	if len(problems) != 2 || !strings.Contains(fmt.Sprint(problems), `bucket "9min"`) || !strings.Contains(fmt.Sprint(problems), "cannot be read") {
		t.Errorf("problems %v", problems)
	}

	// Kept warm, it handles schedule events all the same.
	if r := report(t, l.invoke(fiveMinutes)); r.Seen != 2 {
		t.Errorf("run: %+v", r)
	}
}

// What cannot be reached this time is delivered again; the rest is not.
func TestBootstrap_streamThrottled(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	july1, july2 := campOn(t, "2027-07-01"), campOn(t, "2027-07-02")
	putItem(t, store, july1.ItemKey(), signal.Item{"timezone": signal.S("America/Vancouver")})
	putItem(t, store, dateKey(july1), signal.Item{"availabilityEstimationPattern": pattern("exact", minutes(5))})
	awstest.Seed(t, store, july2, "5min", signal.Pattern{Mode: signal.Exact})
	_, endpoint := newNetwork(t, func(kind string, _ int) fate {
		if kind == "PutItem" {
			return throttled
		}
		return delivered
	})
	l := start(t, build(t), lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": store.Table(), "AWS_ENDPOINT_URL": endpoint}))
	a := l.invokeFor(streamEvent(streamRecord(1, poolKey(july2), "MODIFY"), streamRecord(2, dateKey(july1), "INSERT")), 6e9)
	if a.body != `{"batchItemFailures":[{"itemIdentifier":"2"}]}` {
		t.Errorf("answer %s%s", a.body, a.ErrorMessage)
	}
}

func TestBootstrap_streamErrors(t *testing.T) {
	db := awstest.DynamoDB(t)
	bootstrap := build(t)
	store := newStore(t, db, awstest.Included)
	ok := streamEvent(streamRecord(1, dateKey(campOn(t, "2027-07-01")), "INSERT"))
	for name, tt := range map[string]struct {
		env        map[string]string
		event      string
		kind, says string
	}{
		"no table":       {map[string]string{"AVAILABILITY_TABLE_NAME": "no-such-table"}, ok, "TableNotFound", "AVAILABILITY_TABLE_NAME and AWS_REGION"},
		"another source": {nil, `{"Records": [{"eventSource": "aws:sqs"}]}`, "BadEvent", "expected the records of a DynamoDB stream"},
		"no records":     {nil, `{"Records": []}`, "BadEvent", "this one has none"},
		"a default pattern that is none": {
			map[string]string{"AVAILABILITY_DEFAULT_PATTERN": `{"estimationMode": "guess"}`},
			ok, "BadSettings",
			`environment variable AVAILABILITY_DEFAULT_PATTERN cannot be used: expected JSON such as {"estimationMode": "tiered", "cadence": {"minutes": 5}}`,
		},
		"a default bucket that is none": {
			map[string]string{"AVAILABILITY_DEFAULT_BUCKET": "Every 5 minutes"},
			ok, "BadSettings",
			`environment variable AVAILABILITY_DEFAULT_BUCKET cannot be used: invalid bucket name "Every 5 minutes"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"AVAILABILITY_TABLE_NAME": store.Table()}
			for k, v := range tt.env {
				env[k] = v
			}
			a := start(t, bootstrap, lambdaEnv(env)).invoke(tt.event)
			if a.ErrorType != tt.kind || !strings.Contains(a.ErrorMessage, tt.says) {
				t.Errorf("%s: %s", a.ErrorType, a.ErrorMessage)
			}
		})
	}
}
