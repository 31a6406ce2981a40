package signal

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// BucketFormat is the registry format that this release reads and writes.
const BucketFormat = 1

// MaxShards is how many shard keys a bucket has. A run queries all of them,
// whatever number of shards is in use.
const MaxShards = 16

const bucketPrefix = SchemaBucket + separator

// ErrBucketName is what an unusable bucket name answers to.
var ErrBucketName = errors.New("invalid bucket name")

// ValidateBucketName reports a name that is no bucket's as ErrBucketName.
func ValidateBucketName(name string) error {
	if !isBucketName(name) {
		return fmt.Errorf("%w %s: expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min", ErrBucketName, quoted(name))
	}
	return nil
}

// isBucketName looks at each byte: a regular expression is compiled at every start
// of the function, whether it is used or not.
func isBucketName(name string) bool {
	if len(name) < 1 || len(name) > 40 || name[0] == '-' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// BucketID is the CadenceBucket ID of a name: cadenceBucket::5min. It is the
// registry item's pk and shard key 0.
func BucketID(name string) string { return bucketPrefix + name }

// ParseBucketID is the inverse of BucketID. The error is ErrBucketName.
func ParseBucketID(id string) (string, error) {
	name, ok := strings.CutPrefix(id, bucketPrefix)
	if !ok {
		return "", fmt.Errorf("%w: bucket ID %s does not begin with %q", ErrBucketName, quoted(id), bucketPrefix)
	}
	return name, ValidateBucketName(name)
}

// ShardKey is the gsipk of the k-th shard of a bucket. Shard 0 is the bare ID,
// so that a bucket of one shard is laid out as if there were no shards.
func ShardKey(bucket string, k int) string {
	if k == 0 {
		return BucketID(bucket)
	}
	return BucketID(bucket) + separator + strconv.Itoa(k)
}

// ShardKeys are all the gsipk values that signals of a bucket can have.
func ShardKeys(bucket string) [MaxShards]string {
	var keys [MaxShards]string
	for k := range keys {
		keys[k] = ShardKey(bucket, k)
	}
	return keys
}

// ParseShardKey reads a gsipk. ok is false for what is no shard key of ours.
func ParseShardKey(gsipk string) (bucket string, shard int, ok bool) {
	rest, ok := strings.CutPrefix(gsipk, bucketPrefix)
	if !ok {
		return "", 0, false
	}
	name, number, sharded := strings.Cut(rest, separator)
	if ValidateBucketName(name) != nil {
		return "", 0, false
	}
	if !sharded {
		return name, 0, true
	}
	k, err := strconv.Atoi(number)
	if err != nil || k < 1 || k >= MaxShards || number != strconv.Itoa(k) {
		return "", 0, false
	}
	return name, k, true
}

// Shard is the shard of a signal in a bucket of that many shards: FNV-1a (32
// bit) of pk, LF and sk, modulo shards.
func Shard(k Key, shards int) int {
	if shards <= 1 {
		return 0
	}
	h := fnv.New32a()
	// Writing to a hash never fails.
	_, _ = h.Write([]byte(k.PK + "\n" + k.SK))
	return int(h.Sum32() % uint32(min(shards, MaxShards)))
}

// Bucket is a registered CadenceBucket: what its registry item says.
type Bucket struct {
	Format  int
	Name    string
	Cadence Cadence
	// ScheduleExpression is EventBridge's, e.g. rate(5 minutes).
	ScheduleExpression string
	// Shards is how many index partitions its signals are spread over, 1 to 16.
	Shards   int
	RuleARN  string
	Enabled  bool
	Checks   Checks
	GlobalID string
}

// GSIPK is where a signal of this bucket belongs now.
func (b Bucket) GSIPK(k Key) string { return ShardKey(b.Name, Shard(k, b.Shards)) }

// Checks are the settings of a bucket's runs. They are kept in its registry
// item, so that a change is in effect from the next tick.
type Checks struct {
	// Concurrency is how many checks run at once.
	Concurrency int
	// Lease is for how long others leave a claimed signal alone.
	Lease time.Duration
	// MaxAttempts is the number of failed checks in a row from which a signal
	// is quarantined.
	MaxAttempts int
	// WriteBudget is the most finishes per second and shard.
	WriteBudget int
	// MaxStaleness is how long a clean value may go without being audited;
	// zero turns the audit off.
	MaxStaleness time.Duration
}

// DefaultChecks are the settings of a bucket that configures none.
func DefaultChecks() Checks {
	return Checks{
		Concurrency:  32,
		Lease:        120 * time.Second,
		MaxAttempts:  8,
		WriteBudget:  200,
		MaxStaleness: 24 * time.Hour,
	}
}
