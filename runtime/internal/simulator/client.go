package simulator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Client is a process with its SDK client: what calls a DB, is counted by, is
// delayed, and can crash. It has the SDK's methods and is safe for concurrent use.
type Client struct {
	db      *DB
	name    string
	process int
	number  int
	skew    time.Duration
	options []func(*dynamodb.Options)
	crashed atomic.Bool
	ctx     context.Context
	end     context.CancelFunc
	calls   atomic.Int64
	ids     atomic.Int64
	reader  *reader

	mu sync.Mutex
	// retryer and its quota are nil until the first call that fails.
	retryer *retry.Standard
	quota   *ratelimit.TokenRateLimit
}

// ClientOption changes a setting of a Client.
type ClientOption func(*Client)

// WithSkew makes the client's own clock wrong by d.
func WithSkew(d time.Duration) ClientOption { return func(c *Client) { c.skew = d } }

// WithOptions are options of the SDK's client.
func WithOptions(options ...func(*dynamodb.Options)) ClientOption {
	return func(c *Client) { c.options = append(c.options, options...) }
}

// Client returns a new client of a DB. Clients of one name are counted together.
func (db *DB) Client(name string, options ...ClientOption) *Client {
	db.mu.Lock()
	defer db.mu.Unlock()
	c := &Client{db: db, name: name, number: db.number(name)}
	db.processes[c.number]++
	c.process = db.processes[c.number]
	c.ctx, c.end = context.WithCancel(context.Background())
	c.reader = &reader{random: stream(db.config.Seed, c.String())}
	for _, option := range options {
		option(c)
	}
	if db.world != nil {
		db.world.clients = append(db.world.clients, c)
	}
	return c
}

// String is the client's name, and which of that name it is.
func (c *Client) String() string { return c.name + "#" + strconv.Itoa(c.process) }

// Name is what the client is counted by.
func (c *Client) Name() string { return c.name }

// Now is the client's own clock.
func (c *Client) Now() time.Time { return c.db.clock.Now().Add(c.skew) }

// Context ends when the client crashes.
func (c *Client) Context() context.Context { return c.ctx }

// Crash ends the process: its context ends, its calls under way are without an
// answer, and no further one does anything. What a call has done so far stands.
func (c *Client) Crash() {
	c.crashed.Store(true)
	c.end()
}

// Crashed is whether it has.
func (c *Client) Crashed() bool { return c.crashed.Load() }

// WithTimeout is a context that ends after d, or when the client crashes, and
// whose deadline is an instant of the client's own clock.
func (c *Client) WithTimeout(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, end := context.WithTimeout(c.ctx, d)
	return skewed{ctx, c.skew}, end
}

type skewed struct {
	context.Context
	skew time.Duration
}

func (s skewed) Deadline() (time.Time, bool) {
	at, ok := s.Context.Deadline()
	return at.Add(s.skew), ok
}

// NewID returns an id that no other call returns. Which one of a process's
// goroutines gets which is not told by the seed.
func (c *Client) NewID() string { return fmt.Sprintf("%s-%d", c, c.ids.Add(1)) }

// Jitter is a number in [0, 1) that depends on the seed, the client and the time
// alone: goroutines of one process that draw at one time draw the same.
func (c *Client) Jitter() float64 {
	h := stir(hash(c.db.config.Seed, c.String()) ^ uint64(c.db.clock.Now().UnixNano()))
	return float64(h>>11) / (1 << 53)
}

// Reader is a source of random bytes, safe for concurrent use.
func (c *Client) Reader() interface{ Read([]byte) (int, error) } { return c.reader }

type reader struct {
	mu     sync.Mutex
	random *rand.Rand
}

func (r *reader) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range b {
		b[i] = byte(r.random.Uint32())
	}
	return len(b), nil
}
