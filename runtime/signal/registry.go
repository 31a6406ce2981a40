package signal

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Attribute names of a bucket's registry item.
const (
	AttrFormat             = "format"
	AttrName               = "name"
	AttrCadence            = "cadence"
	AttrScheduleExpression = "scheduleExpression"
	AttrShards             = "shards"
	AttrRuleARN            = "ruleArn"
	AttrEnabled            = "enabled"
	AttrChecks             = "checks"
)

// RegistrySK is the sort key of a bucket's registry item, beside which, under the
// same pk, its runs keep RunSK and, for each shard, an item that AuditPrefix
// begins.
const (
	RegistrySK  = SchemaBucket
	RunSK       = "run"
	AuditPrefix = "audit" + separator
)

var (
	// ErrFormat is what an item of a newer format answers to.
	ErrFormat = errors.New("written by a newer release")
	// ErrRegistry is what a registry item that cannot be used answers to.
	ErrRegistry = errors.New("invalid registry item")
)

// RegistryKey is the key of a bucket's registry item.
func RegistryKey(name string) Key { return Key{PK: BucketID(name), SK: RegistrySK} }

// RunKey is the key of a bucket's run item.
func RunKey(name string) Key { return Key{PK: BucketID(name), SK: RunSK} }

// AuditKey is the key of the item that has how far the audit of a shard has got.
func AuditKey(name string, shard int) Key {
	return Key{PK: BucketID(name), SK: AuditPrefix + strconv.Itoa(shard)}
}

// Item renders the bucket as its registry item.
func (b Bucket) Item() Item {
	k := RegistryKey(b.Name)
	return Item{
		AttrPK: S(k.PK), AttrSK: S(k.SK),
		AttrSchema:             S(SchemaBucket),
		AttrFormat:             N(BucketFormat),
		AttrName:               S(b.Name),
		AttrCadence:            b.Cadence.Value(),
		AttrScheduleExpression: S(b.ScheduleExpression),
		AttrShards:             N(int64(b.Shards)),
		AttrRuleARN:            S(b.RuleARN),
		AttrEnabled:            Bool(b.Enabled),
		AttrChecks:             b.Checks.Value(),
		AttrGlobalID:           S(b.GlobalID),
	}
}

// ParseBucket reads a registry item. A newer format is ErrFormat, anything else
// that cannot be used ErrRegistry; unknown attributes are ignored, and absent
// settings have their defaults.
func ParseBucket(i Item) (Bucket, error) {
	if s := i.Text(AttrSchema); s != SchemaBucket {
		return Bucket{}, fmt.Errorf("%w: its schema is %q, not %q", ErrRegistry, s, SchemaBucket)
	}
	format, ok := i[AttrFormat].Int()
	if !ok || format < 1 {
		return Bucket{}, fmt.Errorf("%w: it has no format number", ErrRegistry)
	}
	if format > BucketFormat {
		return Bucket{}, fmt.Errorf("registry item has format %d, this release reads format %d: %w; install the release of availability that wrote it, or a later one", format, BucketFormat, ErrFormat)
	}
	name, err := ParseBucketID(i.Text(AttrPK))
	if err != nil {
		return Bucket{}, fmt.Errorf("%w: %w", ErrRegistry, err)
	}
	cadence, err := ParseCadence(i[AttrCadence])
	if err != nil {
		return Bucket{}, fmt.Errorf("%w: %w", ErrRegistry, err)
	}
	enabled, ok := i[AttrEnabled].Bool()
	if !ok {
		enabled = true
	}
	return Bucket{
		Format:             int(format),
		Name:               name,
		Cadence:            cadence,
		ScheduleExpression: i.Text(AttrScheduleExpression),
		Shards:             int(min(max(i.Int(AttrShards), 1), MaxShards)),
		RuleARN:            i.Text(AttrRuleARN),
		Enabled:            enabled,
		Checks:             parseChecks(i[AttrChecks]),
		GlobalID:           i.Text(AttrGlobalID),
	}, nil
}

// Value renders the settings as they are stored.
func (c Checks) Value() Value {
	return M(map[string]Value{
		"concurrency":         N(int64(c.Concurrency)),
		"leaseSeconds":        N(int64(c.Lease / time.Second)),
		"maxAttempts":         N(int64(c.MaxAttempts)),
		"writeBudget":         N(int64(c.WriteBudget)),
		"maxStalenessMinutes": N(int64(c.MaxStaleness / time.Minute)),
	})
}

func parseChecks(v Value) Checks {
	// What no setting can mean has its default; in minutes it is 190 years.
	const highest = 100_000_000
	c := DefaultChecks()
	m, _ := v.Fields()
	setting := func(name string, lowest int64, set func(int64)) {
		if n, ok := m[name].Int(); ok && n >= lowest && n <= highest {
			set(n)
		}
	}
	setting("concurrency", 1, func(n int64) { c.Concurrency = int(n) })
	setting("leaseSeconds", 1, func(n int64) { c.Lease = time.Duration(n) * time.Second })
	setting("maxAttempts", 1, func(n int64) { c.MaxAttempts = int(n) })
	setting("writeBudget", 1, func(n int64) { c.WriteBudget = int(n) })
	setting("maxStalenessMinutes", 0, func(n int64) { c.MaxStaleness = time.Duration(n) * time.Minute })
	return c
}
