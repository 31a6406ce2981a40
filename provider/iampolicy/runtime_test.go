package iampolicy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const fiveMinutes = `{"cadenceBucket": "cadenceBucket::5min"}`

// populate makes signals of all kinds that a run meets: dirty ones that can be
// checked, and cannot; clean ones that are right, wrong and without a value; expired
// ones. The inventory is in another table.
func (w *world) populate(inventory string) {
	w.t.Helper()
	// TTL would sweep before the runtime does.
	_, err := w.client.UpdateTimeToLive(w.t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               &w.table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(false)},
	})
	w.must(err)
	w.register("5min", 5, 2)
	clean := func(more signal.Item) signal.Item {
		item := signal.Item{"gsisk": signal.S("clean"), "dirtySince": {}}
		for name, v := range more {
			item[name] = v
		}
		return item
	}
	past := time.Now().Add(-2 * time.Hour)
	expired := signal.Item{"ttl": signal.N(past.Unix()), "expiry": signal.S(signal.FormatInstant(past))}
	for day := 1; day <= 10; day++ {
		w.seed(day, nil)
		w.pool(inventory, day, "12")
	}
	w.pool(inventory, 2, "twelve")
	w.seed(11, clean(signal.Item{"value": signal.S("none")}))
	w.seed(12, clean(signal.Item{"value": signal.S("3")}))
	w.seed(13, clean(nil))
	w.seed(14, expired)
	w.seed(15, clean(expired))
}

func (w *world) pool(table string, day int, available string) {
	w.t.Helper()
	item := signal.Item{"pk": signal.S(on(day).PoolPK()), "sk": signal.S("loop"), "capacity": signal.N(20), "availability": signal.S(available)}
	if available == "12" {
		item["availability"] = signal.N(12)
	}
	w.put(table, item)
}

// holdAnswer holds that a report, or whatever else was answered, has all of that.
func holdAnswer(t *testing.T, answer string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(answer, w) {
			t.Errorf("the answer is %s, without %s", answer, w)
		}
	}
}

func TestPolicy_runtime(t *testing.T) {
	t.Parallel()
	program := buildFunction(t)
	r, w := newRecorder(t), newWorld(t)
	inventory := acctest.Table(t)
	w.populate(inventory)
	f := start(t, program, r, map[string]string{"AVAILABILITY_TABLE_NAME": w.table, "AVAILABILITY_INVENTORY_TABLE_NAME": inventory})
	answer := f.invoke(fiveMinutes)
	holdAnswer(t, answer, `"cleaned":9`, `"failed":1`, `"mismatched":1`, `"swept":2`)
	recorded := r.take()
	holdMinimal(t, render(t, "runtime", w.table, acctest.Config{"inventory_table_arn": tableARN(inventory)}), recorded)

	// The rest is as much as each of its settings asks for, and for what Lambda and
	// DynamoDB do in the function's name.
	key, queue, logs := "arn:aws:kms:"+region+":"+account+":key/1234abcd", "arn:aws:sqs:"+region+":"+account+":failed", "arn:aws:logs:"+region+":"+account+":log-group:/aws/lambda/availability"
	recorded = append(recorded,
		request{action: "kms:Decrypt", resource: key, context: map[string][]string{"kms:ViaService": {"dynamodb." + region + ".amazonaws.com"}}},
		request{action: "logs:CreateLogStream", resource: logs + ":log-stream:1"}, request{action: "logs:PutLogEvents", resource: logs + ":log-stream:1"},
		request{action: "sqs:SendMessage", resource: queue})
	holdMinimal(t, render(t, "runtime", w.table, acctest.Config{
		"inventory_table_arn": tableARN(inventory), "kms_key_arns": []any{key}, "log_group_arn": logs, "failure_destination_arn": queue,
	}), recorded)
}

func TestPolicy_runtimeWithUnits(t *testing.T) {
	t.Parallel()
	program := buildFunction(t)
	r, w := newRecorder(t), newWorld(t)
	w.populate(w.table)
	w.put(w.table, signal.Item{"pk": signal.S(strings.Replace(on(1).PoolPK(), "inventoryPool", "inventory", 1)), "sk": signal.S("1"), "allocationStatus": signal.S("available")})
	f := start(t, program, r, map[string]string{"AVAILABILITY_TABLE_NAME": w.table, "AVAILABILITY_SOURCE": "inventory-units"})
	holdAnswer(t, f.invoke(fiveMinutes), `"cleaned":10`)
	holdMinimal(t, render(t, "runtime", w.table, acctest.Config{"source_type": "inventory-units"}), r.take())
}

func TestPolicy_runtimeWithFunction(t *testing.T) {
	t.Parallel()
	program := buildFunction(t)
	r, w := newRecorder(t), newWorld(t)
	w.populate(w.table)
	f := start(t, program, r, map[string]string{
		"AVAILABILITY_TABLE_NAME": w.table, "AVAILABILITY_SOURCE": "lambda", "AVAILABILITY_SOURCE_FUNCTION": "estimate", "AVAILABILITY_SOURCE_ATTEMPTS": "1",
	})
	// There is no such function: it is asked all the same.
	f.invoke(fiveMinutes)
	holdAllowed(t, render(t, "runtime", w.table, acctest.Config{"source_type": "lambda", "source_function_arn": functionARN("estimate")}), r.take(), "AskSource")
}

// holdAllowed holds that a policy allows what was recorded, and that it takes that
// statement to do so.
func holdAllowed(t *testing.T, p policy, recorded []request, sid string) {
	t.Helper()
	for _, r := range recorded {
		if !p.allows(r) {
			t.Errorf("denied: %s", r)
		}
	}
	for part, less := range p.smaller() {
		if strings.HasPrefix(part, sid+": ") && less.allowsAll(recorded) {
			t.Errorf("not needed: %s", part)
		}
	}
}

func TestPolicy_runtimeWithStream(t *testing.T) {
	t.Parallel()
	program := buildFunction(t)
	r, w := newRecorder(t), newWorld(t)
	platform := acctest.Table(t)
	w.populate(platform)
	f := start(t, program, r, map[string]string{
		"AVAILABILITY_TABLE_NAME": w.table, "AVAILABILITY_INVENTORY_TABLE_NAME": platform,
		"AVAILABILITY_DEFAULT_PATTERN": `{"estimationMode": "tiered"}`, "AVAILABILITY_DEFAULT_BUCKET": "5min",
	})
	f.invoke(fiveMinutes)

	date := func(day int) signal.Key { return signal.Key{PK: on(day).DatePKs()[0], SK: on(day).Date.String()} }
	there := func(key signal.Key) {
		w.put(platform, signal.Item{"pk": signal.S(key.PK), "sk": signal.S(key.SK), "timezone": signal.S("America/Vancouver")})
	}
	there(camp.ItemKey())
	there(date(20)) // to be seeded
	w.seed(21, signal.Item{"seededBy": {}, "globalId": {}})
	there(date(21)) // to be adopted
	w.seed(22, signal.Item{"seededBy": signal.S("stream")})
	there(date(22))                                         // to be changed
	w.seed(23, signal.Item{"seededBy": signal.S("stream")}) // to be deleted
	holdAnswer(t, f.invoke(event(date(20), date(21), date(22), date(23), signal.Key{PK: on(1).PoolPK(), SK: "loop"})), `{"batchItemFailures":[]}`)
	holdAnswer(t, f.invoke(event(camp.ItemKey())), `{"batchItemFailures":[]}`)

	// What Lambda does in the function's name.
	stream := tableARN(platform) + "/stream/2027-01-01T00:00:00.000"
	recorded := r.take()
	for _, action := range []string{"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"} {
		recorded = append(recorded, request{action: "dynamodb:" + action, resource: stream})
	}
	holdMinimal(t, render(t, "runtime", w.table, acctest.Config{"inventory_table_arn": tableARN(platform), "stream_arn": stream}), recorded)
}

// event is records of changes of the keys.
func event(keys ...signal.Key) string {
	records := make([]string, len(keys))
	for i, key := range keys {
		records[i] = fmt.Sprintf(`{"eventName": "MODIFY", "eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"pk": {"S": %q}, "sk": {"S": %q}}, "SequenceNumber": "%d"}}`, key.PK, key.SK, i+1)
	}
	return `{"Records": [` + strings.Join(records, ",") + `]}`
}
