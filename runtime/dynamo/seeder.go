package dynamo

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// SeederAPI is what a Seeder calls of the SDK.
type SeederAPI interface {
	StoreAPI
	BatchExecuteStatement(context.Context, *dynamodb.BatchExecuteStatementInput, ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error)
}

// Seeder seeds signals into a table, and changes and deletes those that it has
// seeded. It never touches anybody else's, nor what the runtime has written.
type Seeder struct {
	api      SeederAPI
	store    *Store
	registry *Registry
	now      func() time.Time
	random   io.Reader
	sleep    func(context.Context, time.Duration) error
}

// NewSeeder returns the seeder of a table. random is where ids and jitter come
// from; it must be safe for concurrent use, as crypto/rand.Reader is.
func NewSeeder(api SeederAPI, table string, now func() time.Time, random io.Reader) *Seeder {
	store := NewStore(api, table)
	return &Seeder{api: api, store: store, registry: NewRegistry(store), now: now, random: random, sleep: sleep}
}

// WithSleep has the seeder wait so before it sends again what was turned down, instead
// of by the machine's clock. The error is why ctx ended meanwhile, if it did.
func (s *Seeder) WithSleep(sleep func(ctx context.Context, d time.Duration) error) *Seeder {
	s.sleep = sleep
	return s
}

// Terms are what a seeder decides about a signal and may change later.
type Terms struct {
	// Bucket is the name of a registered CadenceBucket.
	Bucket string
	// Pattern's cadence is not looked at: what is stored is the bucket's own.
	Pattern signal.Pattern
	Expiry  time.Time
}

// Start is how a signal starts.
type Start struct {
	// Value is an initial value, or "" for none.
	Value string
	// Dirty makes the first tick compute it.
	Dirty bool
}

// Seeded is what is stored of a seeder's decisions about a signal.
type Seeded struct {
	signal.ProductDate
	GlobalID string
	// SeededBy is whose it is; "" if it is nobody's.
	SeededBy string
	// Terms has zero fields for what is absent or cannot be read.
	Terms
	// Stored is the pattern as it was read.
	Stored signal.Value
	// TTLDiffers is that the item's ttl is not its expiry.
	TTLDiffers bool
}

// Repairs are the attributes that the signal should have and has not, and that
// show in nothing else of it.
func (s Seeded) Repairs() []string {
	wrong := map[string]bool{
		signal.AttrGlobalID: s.GlobalID == "",
		signal.AttrSeededBy: s.SeededBy == "",
		signal.AttrTTL:      s.TTLDiffers,
	}
	var names []string
	for _, attr := range repairable() {
		if wrong[attr] {
			names = append(names, attr)
		}
	}
	return names
}

func repairable() []string { return []string{signal.AttrGlobalID, signal.AttrSeededBy, signal.AttrTTL} }

// Stream is the seededBy of what the runtime seeds from the table's stream.
const Stream = "stream"

// Owner is the seededBy of what one resource of Terraform's has seeded: id is a
// signal's own globalId, or its range's id.
func Owner(id string) string { return "terraform:" + id }

// Own is whether the signal is a single one of Terraform's, or nobody's: not of
// a range, nor of another tool.
func (s Seeded) Own() bool { return s.SeededBy == "" || s.SeededBy == Owner(s.GlobalID) }

// Holder is whose the signal is.
func (s Seeded) Holder() Holder {
	return Holder{Date: s.Date, Schema: signal.SchemaSignal, GlobalID: s.GlobalID, SeededBy: s.SeededBy}
}

func (s Seeded) identity() protocol.Identity {
	id := protocol.Identity{GlobalID: s.GlobalID}
	if s.SeededBy != "" {
		id.SeededBy = signal.S(s.SeededBy)
	}
	return id
}

// ParseSeeded reads an item that is a signal.
func ParseSeeded(d signal.ProductDate, item signal.Item) Seeded { return parseSeeded(d, item) }

func parseSeeded(d signal.ProductDate, item signal.Item) Seeded {
	return parseSeededLike(Seeded{}, d, item)
}

// parseSeededLike is parseSeeded, but does not parse again the pattern that
// another signal has too.
func parseSeededLike(like Seeded, d signal.ProductDate, item signal.Item) Seeded {
	s := Seeded{
		ProductDate: d,
		GlobalID:    textOr(item, signal.AttrGlobalID),
		SeededBy:    textOr(item, signal.AttrSeededBy),
	}
	s.Bucket, _, _ = signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	stored := item[signal.AttrPattern]
	if like.Stored.Exists() && like.Stored.Equal(stored) {
		s.Pattern, s.Stored = like.Pattern, like.Stored
	} else if p, err := signal.ParsePattern(stored); err == nil {
		s.Pattern, s.Stored = p, stored
	}
	if at, err := signal.ParseInstant(item.Text(signal.AttrExpiry)); err == nil {
		s.Expiry = at
		s.TTLDiffers = !item[signal.AttrTTL].Equal(signal.N(protocol.TTL(at)))
	}
	return s
}

// noText stands for a value that is there and is no text, so that it is not taken
// for none.
const noText = "(no text)"

func textOr(item signal.Item, attr string) string {
	if v := item[attr]; v.Exists() && item.Text(attr) == "" {
		return noText
	}
	return item.Text(attr)
}

// change is what makes a signal's terms the wanted ones; ok is false if they are
// already. The bucket is the one that want names.
func (s Seeded) change(want Terms, bucket signal.Bucket) (c protocol.Change, ok bool) {
	moved := s.Bucket != want.Bucket
	if moved {
		c.GSIPK = bucket.GSIPK(s.Key())
	}
	if !s.Expiry.Equal(want.Expiry) || s.TTLDiffers {
		c.Expiry = want.Expiry
	}
	if moved || !SamePattern(s.Pattern, want.Pattern) {
		p := want.Pattern
		p.Cadence = bucket.Cadence
		c.Pattern = &p
		if s.Pattern.Estimates(want.Pattern) {
			c.Unflipped = &s.Stored
		}
	}
	return c, c != protocol.Change{}
}

// differs is whether a signal's terms are not the wanted ones.
func (s Seeded) differs(want Terms) bool {
	s.TTLDiffers = false
	_, differs := s.change(want, signal.Bucket{})
	return differs
}

// SamePattern is whether two patterns are alike in all that a seeder decides, the
// labels for people included. The cadence is the bucket's.
func SamePattern(a, b signal.Pattern) bool {
	return a.Mode == b.Mode && (a.Mode != signal.Tiered || slices.Equal(a.Tiers, b.Tiers))
}

func (s *Seeder) newID() (string, error) { return NewID(s.random) }
