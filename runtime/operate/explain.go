package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// Explanation is the answer of an explain: one verdict, and what it rests on.
type Explanation struct {
	Task    string    `json:"task"`
	Signal  string    `json:"signal"`
	At      time.Time `json:"at"`
	Verdict Verdict   `json:"verdict"`
	// Says is the verdict as a sentence, and Do what to do, "" for nothing.
	Says string `json:"says"`
	Do   string `json:"do,omitempty"`
	// Notes are what else there is to know.
	Notes []string `json:"notes,omitempty"`
	// Due is when the next check of it is expected; zero if there is none, or that
	// cannot be told.
	Due time.Time `json:"due,omitzero"`

	Item   *ItemView   `json:"item,omitempty"`
	Bucket *BucketView `json:"bucket,omitempty"`
	// Inventory is what the source says now.
	Inventory *InventoryView `json:"inventory,omitempty"`
}

// ItemView is a signal's item. Instants are zero where the item has none.
type ItemView struct {
	GlobalID    string    `json:"globalId,omitempty"`
	SeededBy    string    `json:"seededBy,omitempty"`
	GSIPK       string    `json:"gsipk"`
	Bit         string    `json:"bit"`
	Value       string    `json:"value,omitempty"`
	AsOf        time.Time `json:"asOf,omitzero"`
	DirtySince  time.Time `json:"dirtySince,omitzero"`
	Rev         int64     `json:"rev"`
	ClaimedRev  *int64    `json:"claimedRev,omitempty"`
	LeaseUntil  time.Time `json:"leaseUntil,omitzero"`
	Attempts    int64     `json:"attempts,omitempty"`
	NotBefore   time.Time `json:"notBefore,omitzero"`
	Quarantined bool      `json:"quarantined,omitempty"`
	Expiry      time.Time `json:"expiry,omitzero"`
	Mode        string    `json:"estimationMode,omitempty"`
}

// BucketView is the bucket that a signal is in.
type BucketView struct {
	Name       string    `json:"name"`
	Registered bool      `json:"registered"`
	Enabled    bool      `json:"enabled"`
	Schedule   string    `json:"schedule,omitempty"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	LastRunAt  time.Time `json:"lastRunAt,omitzero"`
	// Stale is that no run has come to its end for three cadences, or ever.
	Stale bool `json:"stale"`
}

// InventoryView is what the source says of a date.
type InventoryView struct {
	AsOf        time.Time `json:"asOf"`
	Available   int64     `json:"available"`
	Capacity    int64     `json:"capacity"`
	NoInventory bool      `json:"noInventory,omitempty"`
	// Value is what is to be cached for it, by the signal's own pattern, and Tier
	// the label of that, for a tiered one.
	Value string `json:"value,omitempty"`
	Tier  string `json:"tier,omitempty"`
	// Error is why there is no estimate, or no value.
	Error string     `json:"error,omitempty"`
	Parts []PartView `json:"parts,omitempty"`
	// Omitted is how many more parts there are.
	Omitted int `json:"omitted,omitempty"`
}

// PartView is a pool or a unit.
type PartView struct {
	Name      string `json:"name"`
	Status    string `json:"status,omitempty"`
	Available int64  `json:"available"`
	Capacity  int64  `json:"capacity"`
	Fault     string `json:"fault,omitempty"`
}

// mostLooks is how often a signal is looked at that changes meanwhile.
const mostLooks = 3

// mostParts is how many pools or units an explanation lists.
const mostParts = 100

func (o *Operator) explain(ctx context.Context, t Task) (*Explanation, error) {
	d, err := ParseSignal(t.Signal)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Task: t.Task, Signal: d.String()}
	var item signal.Item
	moving := true
	// What the source says is held against an item that was the same before and
	// after it was asked.
	for look := 0; moving && look < mostLooks; look++ {
		e.At = o.now()
		if item, err = o.Signals.Get(ctx, d.Key()); err != nil {
			return nil, fmt.Errorf("explain %s: %w", d, err)
		}
		e.Inventory = o.inventory(ctx, d, item)
		again, err := o.Signals.Get(ctx, d.Key())
		if err != nil {
			return nil, fmt.Errorf("explain %s: %w", d, err)
		}
		moving = changed(item, again)
	}
	bucket, err := o.bucket(ctx, item)
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", d, err)
	}
	nothing := false
	if item == nil {
		// Where it cannot be told, less is said.
		known, err := o.known(ctx, d.Product)
		nothing = err == nil && !known
	}
	e.judge(facts{item: item, nothing: nothing, bucket: bucket, moving: moving, shows: t.Shows, most: o.maxAttempts(bucket)})
	return e, nil
}

// changed is whether a check, a flip or a seeder has come between two reads.
func changed(a, b signal.Item) bool {
	for _, attr := range []string{signal.AttrGlobalID, signal.AttrRev, signal.AttrGSISK, signal.AttrValue, signal.AttrLastUpdatedAt, signal.AttrClaimedBy} {
		if !a[attr].Equal(b[attr]) {
			return true
		}
	}
	return false
}

// inventory asks the source, as a check would, and ends in time for the answer.
func (o *Operator) inventory(ctx context.Context, d signal.ProductDate, item signal.Item) *InventoryView {
	v := &InventoryView{AsOf: o.now()}
	ctx, stop := stream.InTime(ctx, v.AsOf)
	defer stop()
	e, err := source.Estimate(ctx, o.Runner.Source, d)
	if err != nil {
		v.Error = err.Error()
	} else {
		v.Available, v.Capacity, v.NoInventory = e.Available, e.Capacity, e.NoInventory
		v.value(e, item)
	}
	detailed, ok := o.Runner.Source.(source.Detailed)
	if !ok {
		return v
	}
	parts, err := detailed.Parts(ctx, d)
	if err != nil {
		// The estimate's own error says as much.
		return v
	}
	for i, p := range parts {
		if i == mostParts {
			v.Omitted = len(parts) - mostParts
			break
		}
		v.Parts = append(v.Parts, PartView{Name: p.Name, Status: p.Status, Available: p.Available, Capacity: p.Capacity, Fault: p.Fault})
	}
	return v
}

// value is what a check would cache.
func (v *InventoryView) value(e signal.Estimate, item signal.Item) {
	if item.Text(signal.AttrSchema) != signal.SchemaSignal {
		return
	}
	pattern, err := signal.ParsePattern(item[signal.AttrPattern])
	if err != nil {
		v.Error = err.Error()
		return
	}
	v.Value, _ = pattern.Cache(e)
	for _, tier := range pattern.Tiers {
		if tier.ID == v.Value {
			v.Tier = tier.Label
		}
	}
}

// bucket is that of a signal; nil if its gsipk is of none.
func (o *Operator) bucket(ctx context.Context, item signal.Item) (*read.Bucket, error) {
	name, _, ok := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	if !ok {
		return nil, nil //nolint:nilnil // no bucket is an answer
	}
	registry, err := o.Signals.Get(ctx, signal.RegistryKey(name))
	if err != nil {
		return nil, err
	}
	run, err := o.Signals.Get(ctx, signal.RunKey(name))
	if err != nil {
		return nil, err
	}
	b, err := read.ParseBucket(name, registry, run)
	if errors.Is(err, signal.ErrRegistry) {
		return &b, nil
	}
	return &b, err
}

func (o *Operator) maxAttempts(b *read.Bucket) int64 {
	if b == nil || !b.Registered {
		return int64(signal.DefaultChecks().MaxAttempts)
	}
	return int64(b.Checks.MaxAttempts)
}

func viewItem(item signal.Item) *ItemView {
	at := func(attr string) time.Time {
		t, err := signal.ParseInstant(item.Text(attr))
		if err != nil {
			return time.Time{}
		}
		return t
	}
	ms := func(attr string) time.Time {
		if n, ok := item[attr].Int(); ok {
			return time.UnixMilli(n).UTC()
		}
		return time.Time{}
	}
	v := &ItemView{
		GlobalID: item.Text(signal.AttrGlobalID), SeededBy: item.Text(signal.AttrSeededBy),
		GSIPK: item.Text(signal.AttrGSIPK), Bit: item.Text(signal.AttrGSISK), Value: item.Text(signal.AttrValue),
		AsOf: at(signal.AttrLastUpdatedAt), DirtySince: at(signal.AttrDirtySince), Expiry: at(signal.AttrExpiry),
		Rev: item.Int(signal.AttrRev), Attempts: item.Int(signal.AttrAttempts),
		LeaseUntil: ms(signal.AttrLeaseUntil), NotBefore: ms(signal.AttrNotBefore),
		Quarantined: protocol.Quarantined(item[signal.AttrNotBefore]),
	}
	if n, ok := item[signal.AttrClaimedRev].Int(); ok {
		v.ClaimedRev = &n
	}
	if p, err := signal.ParsePattern(item[signal.AttrPattern]); err == nil {
		v.Mode = string(p.Mode)
	}
	return v
}

func viewBucket(b read.Bucket, now time.Time) *BucketView {
	return &BucketView{
		Name: b.Name, Registered: b.Registered, Enabled: b.Enabled, Schedule: b.ScheduleExpression,
		StartedAt: b.StartedAt, LastRunAt: b.LastRunAt, Stale: b.Stale(now),
	}
}
