package stream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// record is a record as Lambda hands it over, images included.
func record(sequence, pk, sk string) string {
	return fmt.Sprintf(`{
		"eventID": "c4ca4238a0b923820dcc509a6f75849b", "eventName": "MODIFY", "eventVersion": "1.1",
		"eventSource": "aws:dynamodb", "awsRegion": "ca-central-1",
		"dynamodb": {
			"ApproximateCreationDateTime": 1782820800,
			"Keys": {"pk": {"S": %[2]q}, "sk": {"S": %[3]q}},
			"NewImage": {"pk": {"S": %[2]q}, "sk": {"S": %[3]q}, "odd": {"M": {"deep": {"L": [{"BS": ["AA=="]}, {"NULL": true}]}}}},
			"SequenceNumber": %[1]q, "SizeBytes": 59, "StreamViewType": "NEW_AND_OLD_IMAGES"
		},
		"eventSourceARN": "arn:aws:dynamodb:ca-central-1:000000000000:table/t/stream/2026-06-30T00:00:00.000"
	}`, sequence, pk, sk)
}

func batch(records ...string) []byte {
	return []byte(`{"Records": [` + strings.Join(records, ",") + `]}`)
}

func byTTL(record string) string {
	return strings.Replace(strings.Replace(record, "MODIFY", "REMOVE", 1), `"awsRegion"`,
		`"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}, "awsRegion"`, 1)
}

func TestParseEvent(t *testing.T) {
	t.Parallel()
	const pk = "inventoryPool::mockPark1::backcountryCamp::1::1::2026-07-01"
	user := strings.Replace(byTTL(record("4", pk, "a")), "Service", "User", 1)
	got, err := stream.ParseEvent(batch(
		record("1", pk, "a"), byTTL(record("2", pk, "b")), user,
		`{"eventSource": "aws:dynamodb", "eventName": "INSERT", "dynamodb": {"Keys": {"pk": {"S": "p"}, "sk": {"N": "17"}}, "SequenceNumber": "5"}}`,
		// Only a deletion can be TTL's.
		strings.Replace(byTTL(record("6", pk, "a")), "REMOVE", "INSERT", 1),
	))
	if err != nil {
		t.Fatal(err)
	}
	want := []stream.Record{
		{Sequence: "1", Key: signal.Key{PK: pk, SK: "a"}},
		{Sequence: "2", Key: signal.Key{PK: pk, SK: "b"}, ByTTL: true},
		{Sequence: "4", Key: signal.Key{PK: pk, SK: "a"}},
		{Sequence: "5", Key: signal.Key{PK: "p", SK: "17"}},
		{Sequence: "6", Key: signal.Key{PK: pk, SK: "a"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A record that cannot be read keeps none of the others from being read.
func TestParseEvent_faults(t *testing.T) {
	t.Parallel()
	good := record("9", "p", "s")
	for name, tt := range map[string]struct {
		record, sequence, says string
	}{
		"no object":           {`17`, "", "cannot be read"},
		"null":                {`null`, "", `is of "", not of aws:dynamodb`},
		"another source":      {`{"eventSource": "aws:sqs", "body": "x"}`, "", `is of "aws:sqs"`},
		"no keys":             {`{"eventSource": "aws:dynamodb", "dynamodb": {"SequenceNumber": "3"}}`, "3", "has no pk"},
		"another key":         {`{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"id": {"S": "x"}}, "SequenceNumber": "3"}}`, "3", "has no pk"},
		"no sort key":         {`{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"pk": {"S": "x"}}, "SequenceNumber": "3"}}`, "3", "has no sk"},
		"binary key":          {`{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"pk": {"B": "AA=="}, "sk": {"S": "x"}}}}`, "", "neither text nor a number"},
		"key that is no type": {`{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"pk": "x", "sk": {"S": "x"}}}}`, "", "neither text nor a number"},
		"keys that are none":  {`{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": ["pk"], "SequenceNumber": "3"}}`, "3", "cannot be read"},
		"a number for text":   {`{"eventSource": 5}`, "", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := stream.ParseEvent(batch(tt.record, good))
			if err != nil || len(got) != 2 {
				t.Fatalf("%+v, %v", got, err)
			}
			if got[0].Fault == nil || !strings.Contains(got[0].Fault.Error(), tt.says) || got[0].Sequence != tt.sequence {
				t.Errorf("%+v, want sequence %q and a fault that says %q", got[0], tt.sequence, tt.says)
			}
			if got[1].Fault != nil || got[1].Sequence != "9" {
				t.Errorf("the other: %+v", got[1])
			}
		})
	}
}

func TestParseEvent_unusable(t *testing.T) {
	t.Parallel()
	for _, event := range []string{
		``, `null`, `[]`, `{}`, `{"Records": null}`, `{"Records": []}`, `{"Records": {}}`, `{"Records": "x"}`, `{"Records": [`,
		`{"Records": [{"eventSource": "aws:sqs"}, {"eventSource": "aws:s3"}]}`, `{"Records": [null]}`,
	} {
		if got, err := stream.ParseEvent([]byte(event)); !errors.Is(err, stream.ErrEvent) {
			t.Errorf("%s: %+v, %v", event, got, err)
		}
	}
}

func TestReport_answer(t *testing.T) {
	t.Parallel()
	for want, failures := range map[string][]string{
		`{"batchItemFailures":[]}`: nil,
		`{"batchItemFailures":[{"itemIdentifier":"1"},{"itemIdentifier":"22"}]}`: {"1", "22"},
	} {
		got, err := stream.Report{Failures: failures}.Answer()
		if err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add(batch(record("1", "inventoryPool::a::b::c::d::2026-07-01", "x")))
	f.Add(batch(byTTL(record("1", "product::a::b::c", "d")), `{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"pk": {"N": "1"}, "sk": {"S": ""}}}}`))
	f.Add([]byte(`{"Records": [null, 5, {"dynamodb": {"Keys": {"pk": null}}}]}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		records, err := stream.ParseEvent(event)
		if err != nil {
			if !errors.Is(err, stream.ErrEvent) || len(records) > 0 {
				t.Fatalf("%+v, %v", records, err)
			}
			return
		}
		var raw struct{ Records []json.RawMessage }
		if err := json.Unmarshal(event, &raw); err != nil || len(raw.Records) != len(records) {
			t.Errorf("%d records of %d, %v", len(records), len(raw.Records), err)
		}
		for _, r := range records {
			if r.Fault == nil {
				// What follows must take any key.
				_, _ = signal.ParseOrigin(r.Key)
			}
		}
	})
}

// Names are exact: what AWS may add does not stand in for the records.
func TestParseEvent_exactName(t *testing.T) {
	t.Parallel()
	const record = `[{"eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"pk": {"S": "a"}, "sk": {"S": "b"}}}}]`
	if records, err := stream.ParseEvent([]byte(`{"Records": ` + record + `, "records": []}`)); err != nil || len(records) != 1 {
		t.Errorf("%v, %v", records, err)
	}
	if _, err := stream.ParseEvent([]byte(`{"records": ` + record + `}`)); !errors.Is(err, stream.ErrEvent) {
		t.Errorf("error %v", err)
	}
}
