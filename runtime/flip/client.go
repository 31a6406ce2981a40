package flip

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// DefaultLimit is for how long a flip is tried.
const DefaultLimit = 10 * time.Second

// API is what a Client calls of the SDK; a *dynamodb.Client has it.
type API interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
}

// Client flips the signals of one table. It is safe for concurrent use; callers
// share flips only through the same Client, so a process should have one.
type Client struct {
	store  *dynamo.Store
	now    func() time.Time
	jitter func() float64
	log    *slog.Logger
	limit  time.Duration

	mu    sync.Mutex
	lines map[signal.Key]*line
}

// Option changes a setting of a Client.
type Option func(*Client)

// WithClock sets the clock that dirtySince is taken from. It decides nothing: a
// false one only makes a signal look staler or fresher than it is.
func WithClock(now func() time.Time) Option { return func(c *Client) { c.now = now } }

// WithJitter sets the source of randomness, in [0, 1), for the pauses between
// attempts.
func WithJitter(jitter func() float64) Option { return func(c *Client) { c.jitter = jitter } }

// WithLogger sets where a flip is reported that failed when nobody waited for it
// any more. There is none by default.
func WithLogger(log *slog.Logger) Option { return func(c *Client) { c.log = log } }

// WithLimit sets for how long a flip is tried, instead of DefaultLimit, which
// stays for a limit of 0 or less.
func WithLimit(limit time.Duration) Option {
	return func(c *Client) {
		if limit > 0 {
			c.limit = limit
		}
	}
}

// New returns a client for the signals of a table.
func New(api API, table string, options ...Option) *Client {
	c := &Client{
		store:  dynamo.NewStore(narrowed{api: api}, table),
		now:    time.Now,
		jitter: rand.Float64,
		log:    slog.New(slog.DiscardHandler),
		limit:  DefaultLimit,
		lines:  map[signal.Key]*line{},
	}
	for _, o := range options {
		o(c)
	}
	return c
}

// TransactItem is the flip as an entry of the application's own
// TransactWriteItems. It does not replace the flip after the commit. A missing
// signal cancels the transaction (see Advise), and an item can be in a
// transaction only once: one entry per signal, however many of its pools change.
func (c *Client) TransactItem(key signal.Key) types.TransactWriteItem {
	return dynamo.TransactItem(c.store.Table(), protocol.Flip(key, c.now()))
}

// narrowed is a Store's API of which a flip uses two calls.
type narrowed struct {
	dynamo.StoreAPI // nil: no flip puts, deletes or queries
	api             API
}

func (n narrowed) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return n.api.GetItem(ctx, in, opts...)
}

func (n narrowed) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return n.api.UpdateItem(ctx, in, opts...)
}
