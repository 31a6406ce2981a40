package served_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/served"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const table = "signals"

// serve is the SDK's client of a simulator behind HTTP.
func serve(t *testing.T) (*dynamodb.Client, *simulator.DB) {
	t.Helper()
	db := simulator.New(simulator.Config{})
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	server := httptest.NewServer(served.Handler(db.Client("served")))
	t.Cleanup(server.Close)
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	}), db
}

// What the runtime does over HTTP leaves what it leaves without.
func TestHandler_asWithout(t *testing.T) {
	api, db := serve(t)
	day := signal.ProductDate{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
		Date:    signal.Date{Year: 2026, Month: time.August, Day: 1},
	}
	now := db.Clock().Now()
	seed := protocol.Seed(protocol.Seeding{
		ProductDate: day, GSIPK: signal.BucketID("5min"), GlobalID: "id", SeededBy: "test", Dirty: true,
		Pattern: signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}, Expiry: signal.Expiry(day.Date, time.UTC),
	}, now)
	store, own := dynamo.NewStore(api, table), dynamo.NewStore(db.Client("own"), table)
	if _, err := store.Write(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	if got, err := own.Get(t.Context(), day.Key()); err != nil || !cmp.Equal(got, seed.Item, cmp.Comparer(signal.Value.Equal)) {
		t.Errorf("seeded %v, want %v: %v", got, seed.Item, err)
	}
	_, err := store.Write(t.Context(), seed)
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); !ok || refused.Old.Text(signal.AttrGlobalID) != "id" {
		t.Errorf("seeded twice: %v", err)
	}
	claimed, err := store.WriteOnce(t.Context(), protocol.Claim(day.Key(), "claim", now, time.Minute))
	if err != nil || claimed.Text(signal.AttrClaimedBy) != "claim" {
		t.Errorf("claimed %v: %v", claimed, err)
	}
	var listed []string
	query := dynamo.Query{Index: simulator.CadenceIndex, Hash: signal.AttrGSIPK, Partition: signal.BucketID("5min"), Range: signal.AttrGSISK, Equals: signal.Dirty}
	for item, err := range store.Query(t.Context(), query) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, item.Text(signal.AttrSK))
	}
	if diff := cmp.Diff([]string{"2026-08-01"}, listed); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}

func TestHandler_errors(t *testing.T) {
	api, _ := serve(t)
	_, err := dynamo.NewStore(api, "none").Get(t.Context(), signal.Key{PK: "p", SK: "s"})
	if !errors.Is(err, dynamo.ErrTableNotFound) {
		t.Errorf("a table that is not there: %v", err)
	}
	if _, err := api.DescribeLimits(t.Context(), &dynamodb.DescribeLimitsInput{}); err == nil {
		t.Error("an operation that the simulator has not is answered")
	}
}
