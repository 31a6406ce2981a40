package signal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestValidateBucketName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"5min", "15min", "30min", "1h", "2d", "a", "0", "nightly-audit", "a-", strings.Repeat("x", 40)} {
		if err := signal.ValidateBucketName(name); err != nil {
			t.Errorf("ValidateBucketName(%q) = %v", name, err)
		}
	}
	for _, name := range []string{"", "-5min", "5Min", "5_min", "5 min", "5min ", "5min\n", "5::1", "é", strings.Repeat("x", 41)} {
		if err := signal.ValidateBucketName(name); !errors.Is(err, signal.ErrBucketName) {
			t.Errorf("ValidateBucketName(%q) = %v, want ErrBucketName", name, err)
		}
	}
}

func TestBucketID(t *testing.T) {
	t.Parallel()
	if got := signal.BucketID("5min"); got != "cadenceBucket::5min" {
		t.Errorf("BucketID() = %q", got)
	}
	if name, err := signal.ParseBucketID("cadenceBucket::5min"); name != "5min" || err != nil {
		t.Errorf("ParseBucketID() = %q, %v", name, err)
	}
	for _, id := range []string{"", "5min", "cadenceBucket", "cadenceBucket::", "cadenceBucket:5min", "cadenceBucket::5min::1", "cadenceBucket::5MIN", "CadenceBucket::5min"} {
		if name, err := signal.ParseBucketID(id); !errors.Is(err, signal.ErrBucketName) {
			t.Errorf("ParseBucketID(%q) = %q, %v, want ErrBucketName", id, name, err)
		}
	}
}

func TestShardKeys(t *testing.T) {
	t.Parallel()
	want := []string{
		"cadenceBucket::5min", "cadenceBucket::5min::1", "cadenceBucket::5min::2", "cadenceBucket::5min::3",
		"cadenceBucket::5min::4", "cadenceBucket::5min::5", "cadenceBucket::5min::6", "cadenceBucket::5min::7",
		"cadenceBucket::5min::8", "cadenceBucket::5min::9", "cadenceBucket::5min::10", "cadenceBucket::5min::11",
		"cadenceBucket::5min::12", "cadenceBucket::5min::13", "cadenceBucket::5min::14", "cadenceBucket::5min::15",
	}
	got := signal.ShardKeys("5min")
	if !slices.Equal(got[:], want) {
		t.Errorf("ShardKeys() = %q, want %q", got, want)
	}
	for k, gsipk := range want {
		if bucket, shard, ok := signal.ParseShardKey(gsipk); bucket != "5min" || shard != k || !ok {
			t.Errorf("ParseShardKey(%q) = %q, %d, %t", gsipk, bucket, shard, ok)
		}
	}
}

func TestParseShardKey_foreign(t *testing.T) {
	t.Parallel()
	for _, gsipk := range []string{
		"", "5min", "cadenceBucket", "cadenceBucket::", "cadenceBucket::5min::", "cadenceBucket::5min::0", "cadenceBucket::5min::01",
		"cadenceBucket::5min::16", "cadenceBucket::5min::-1", "cadenceBucket::5min::+1", "cadenceBucket::5min::1::1",
		"cadenceBucket::5min::x", "cadenceBucket::5min::1 ", "cadenceBucket::5Min", "product::5min", "cadenceBucket::5min::99999999999999999999",
	} {
		if bucket, shard, ok := signal.ParseShardKey(gsipk); ok || bucket != "" || shard != 0 {
			t.Errorf("ParseShardKey(%q) = %q, %d, %t, want it refused", gsipk, bucket, shard, ok)
		}
	}
}

// The hashes were computed from FNV-1a's definition, in another language.
func TestShard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key  signal.Key
		hash uint32
	}{
		{signal.Key{PK: "availabilitySignal::mockPark1::backcountryCamp::1::1", SK: "2026-07-01"}, 2407455505},
		{signal.Key{PK: "availabilitySignal::mockPark1::backcountryCamp::1::1", SK: "2026-07-02"}, 2357122648},
		{signal.Key{PK: "availabilitySignal::bcparks_250::dayUse::3::12", SK: "2027-01-15"}, 1411673403},
		{signal.Key{PK: "availabilitySignal::Parc-Côtier::dayUse::1::1", SK: "2026-12-31"}, 3275896537},
	}
	for _, tt := range tests {
		t.Run(tt.key.String(), func(t *testing.T) {
			t.Parallel()
			for shards := 1; shards <= signal.MaxShards; shards++ {
				want := int(tt.hash % uint32(shards))
				if got := signal.Shard(tt.key, shards); got != want {
					t.Errorf("Shard(%d) = %d, want %d", shards, got, want)
				}
				b := signal.Bucket{Name: "5min", Shards: shards}
				if got := b.GSIPK(tt.key); got != signal.ShardKey("5min", want) {
					t.Errorf("GSIPK() of %d shards = %q, want shard %d", shards, got, want)
				}
			}
			// What is no number of shards makes no key that no run queries.
			if got := signal.Shard(tt.key, 0); got != 0 {
				t.Errorf("Shard(0) = %d, want 0", got)
			}
			if got := signal.Shard(tt.key, -1); got != 0 {
				t.Errorf("Shard(-1) = %d, want 0", got)
			}
			if got, want := signal.Shard(tt.key, 1000), int(tt.hash%16); got != want {
				t.Errorf("Shard(1000) = %d, want %d", got, want)
			}
		})
	}
}

func FuzzParseShardKey(f *testing.F) {
	for _, gsipk := range []string{"", "cadenceBucket::5min", "cadenceBucket::5min::1", "cadenceBucket::5min::16", "cadenceBucket::::"} {
		f.Add(gsipk)
	}
	f.Fuzz(func(t *testing.T, gsipk string) {
		bucket, shard, ok := signal.ParseShardKey(gsipk)
		if !ok {
			return
		}
		if again := signal.ShardKey(bucket, shard); again != gsipk {
			t.Errorf("ParseShardKey(%q) is %q", gsipk, again)
		}
		if !queried(bucket, gsipk) {
			t.Errorf("%q is parsed, but no run queries it", gsipk)
		}
	})
}

func queried(bucket, gsipk string) bool {
	keys := signal.ShardKeys(bucket)
	return slices.Contains(keys[:], gsipk)
}
