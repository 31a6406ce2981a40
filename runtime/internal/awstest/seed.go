package awstest

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Seed seeds a dirty signal of the bare shard of a bucket, which expires tomorrow.
func Seed(t testing.TB, store *dynamo.Store, d signal.ProductDate, bucket string, pattern signal.Pattern) {
	t.Helper()
	s := protocol.Seeding{
		ProductDate: d,
		GSIPK:       signal.BucketID(bucket),
		GlobalID:    rand.Text(),
		Pattern:     pattern,
		Expiry:      time.Now().Add(24 * time.Hour),
		SeededBy:    "test",
		Dirty:       true,
	}
	_, err := store.Write(t.Context(), protocol.Seed(s, time.Now()))
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); ok && refused.Old.Text(signal.AttrGlobalID) == s.GlobalID {
		// The SDK has repeated what had been applied.
		return
	}
	if err != nil {
		t.Error(err)
	}
}
