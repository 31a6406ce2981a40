package dynamo_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A single signal that lacks what shows nowhere else is mended in one write.
func TestSeeder_repairs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lacks   signal.Item
		repairs []string
		flips   int64
	}{
		"no ttl":      {signal.Item{"ttl": {}}, []string{"ttl"}, 0},
		"another ttl": {signal.Item{"ttl": signal.N(5)}, []string{"ttl"}, 0},
		"a text":      {signal.Item{"ttl": signal.S("1782950400")}, []string{"ttl"}, 0},
		"no owner":    {signal.Item{"seededBy": {}}, []string{"seededBy"}, 1},
		"neither":     {signal.Item{"seededBy": {}, "ttl": {}}, []string{"seededBy", "ttl"}, 1},
		"nothing":     {nil, nil, 0},
	}
	for name, tt := range tests {
		for what, f := range map[string]effect{"": func(send func() error) error { return send() }, ", repeated": repeat, ", answer lost": loseAnswer} {
			t.Run(name+what, func(t *testing.T) {
				t.Parallel()
				e := newEngine(t)
				e.register(t, "5min")
				made := create(t, e, july)
				want := e.item(t, campOn(july).Key())
				e.change(t, july, tt.lacks)
				is, err := e.seeder().Read(t.Context(), campOn(july))
				if err != nil || !cmp.Equal(is.Repairs(), tt.repairs) {
					t.Fatalf("repairs %q, %v", is.Repairs(), err)
				}
				e.set(fault{"UpdateItem", 1, f})
				is, err = e.seeder().Update(t.Context(), campOn(july), made.GlobalID, terms(july))
				if err != nil || is.Repairs() != nil || is.GlobalID != made.GlobalID {
					t.Errorf("update: %+v, %v", is, err)
				}
				if tt.flips > 0 {
					want["gsisk"], want["dirtySince"], want["rev"] = signal.S("dirty"), signal.S("2026-06-01T12:00:00.000Z"), signal.N(tt.flips)
				}
				if diff := cmp.Diff(want, e.item(t, campOn(july).Key())); diff != "" {
					t.Errorf("item (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// One that has neither globalId nor owner is given both, or deleted as it is.
func TestSeeder_nameless(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	nameless := protocol.Seed(seeding(july), now).Item
	delete(nameless, "globalId")
	delete(nameless, "seededBy")
	e.put(t, nameless)
	made, err := e.seeder().Update(t.Context(), campOn(july), "", terms(july))
	item := e.item(t, campOn(july).Key())
	if err != nil || len(made.GlobalID) != 36 || item.Text("globalId") != made.GlobalID || item.Text("seededBy") != "terraform:"+made.GlobalID || item.Text("gsisk") != "dirty" {
		t.Errorf("update: %+v, %v, item %v", made, err, item)
	}
	if err := e.seeder().Delete(t.Context(), campOn(july), ""); !errors.Is(err, dynamo.ErrNotOurs) {
		t.Errorf("delete one that has been named: %v", err)
	}
	e.put(t, nameless)
	if err := e.seeder().Delete(t.Context(), campOn(july), ""); err != nil || e.item(t, campOn(july).Key()) != nil {
		t.Errorf("delete: %v", err)
	}
}

func TestSeeder_lists(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	createRange(t, e, days(4))
	e.stand(t, july.AddDays(4), "stream")
	e.put(t, signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2026-07-06"), "schema": signal.S("note")})
	slip := e.stand(t, july.AddDays(6), "")
	slip["pk"], slip["gsipk"] = signal.S("availabilitySignal::mockPark1::backcountryCamp::1:1"), signal.S("cadenceBucket::5min::3")
	e.put(t, slip)
	e.write(t, protocol.Flip(campOn(july).Key(), now))
	collect := func(signals func(func(dynamo.Seeded, error) bool)) (found []signal.Date, errs int) {
		for s, err := range signals {
			if err != nil {
				errs++
				continue
			}
			found = append(found, s.Date)
		}
		return found, errs
	}
	if got, errs := collect(e.seeder().List(t.Context(), camp, dynamo.Span{First: july.AddDays(1), Last: july.AddDays(9)})); spans(got) != "2026-07-02/2026-07-05 2026-07-07/2026-07-07" || errs != 0 {
		t.Errorf("the product's: %s, %d errors", spans(got), errs)
	}
	later := e.at(now.AddDate(0, 0, 32))
	if got, _ := collect(later.List(t.Context(), camp, days(30).Span)); spans(got) != "2026-07-03/2026-07-05 2026-07-07/2026-07-07" {
		t.Errorf("a month later: %s", spans(got))
	}
	for bit, want := range map[string]int{"": 6, "clean": 5, "dirty": 1} {
		var bits []string
		if bit != "" {
			bits = []string{bit}
		}
		got, errs := collect(e.seeder().ListBucket(t.Context(), cadenceIndex, "5min", bits...))
		if len(got) != want || (errs == 1) != (bit != "dirty") {
			t.Errorf("%q in the bucket: %v, %d errors", bit, got, errs)
		}
	}
	if _, errs := collect(e.seeder().ListBucket(t.Context(), "no-such-index", "5min")); errs != 1 {
		t.Errorf("no index: %d errors", errs)
	}
	// One that a run moves to another shard meanwhile is listed once.
	moved := false
	e.query = func(in *dynamodb.QueryInput) {
		for _, v := range in.ExpressionAttributeValues {
			if shard, ok := v.(*types.AttributeValueMemberS); ok && shard.Value == signal.ShardKey("5min", 9) {
				item := e.item(t, campOn(july).Key())
				item["gsipk"], moved = signal.S(shard.Value), true
				e.put(t, item)
			}
		}
	}
	if got, _ := collect(e.seeder().ListBucket(t.Context(), cadenceIndex, "5min")); len(got) != 6 || !moved {
		t.Errorf("a signal that moves meanwhile: %v, moved: %t", got, moved)
	}
	e.query = nil
	e.set(fault{"GetItem", 2, fail(errLost)})
	if got, errs := collect(e.seeder().ListBucket(t.Context(), cadenceIndex, "5min", "clean")); len(got) != 1 || errs != 1 {
		t.Errorf("a reading that fails: %v, %d errors", got, errs)
	}
}
