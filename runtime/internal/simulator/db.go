package simulator

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Config is how a DB behaves. The zero Config is a DynamoDB at its best: no lag,
// no limits, no faults.
type Config struct {
	// Seed decides everything that is random.
	Seed uint64
	// Clock is the time; by default a ManualClock that stands at the start of
	// July 2026 (UTC).
	Clock Clock
	// IndexLag is how long a change takes to show in an index, for each entry
	// by itself, so that a query may see an item twice, not at all, or long
	// after it has gone.
	IndexLag Delay
	// ReadLag is how old an eventually consistent read of a table may be: it
	// sees any of the versions of the last so long (at most five minutes), each
	// item by itself.
	ReadLag Delay
	// TTLDelay is how long after its time TTL deletes an item; nil is never.
	TTLDelay Delay
	// VisibilityDelay is how long each item of a transaction takes to become
	// visible after the one before, in a World.
	VisibilityDelay Delay
	// Limits are what a partition takes; nil is everything.
	Limits *Limits
	// Faults decides what goes wrong with each request; nil is nothing.
	Faults Faults
	// PageBytes is the most that a page reads; 0 is DynamoDB's 1 MiB.
	PageBytes int
	// OnCall is told of every request that has ended. It must not call the DB.
	OnCall func(Outcome)
	// OnChange is told of every change of an item, in order. It must not call the
	// DB.
	OnChange func(Change)
	// Expressions is where parsed expressions are kept, to be shared by many
	// DBs; by default each has its own.
	Expressions *Expressions
}

const defaultPageBytes = 1 << 20

// firstOfJuly is where a DB's own clock starts.
func firstOfJuly() time.Time { return time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC) }

// DB is a DynamoDB. It is safe for concurrent use.
type DB struct {
	config Config
	clock  Clock
	world  *World

	mu     sync.Mutex
	random *rand.Rand
	limits *Limits
	tables map[string]*table
	// clients are the names that are counted by.
	clients   []string
	processes map[int]int
	requests  uint64
	// now is the time of what is being done, in nanoseconds since the epoch, and
	// running the execution that it is a part of.
	now     int64
	running *execution
	agenda  agenda
	tokens  map[string]*token
	scratch scratch
}

// New returns an empty DB.
func New(config Config) *DB {
	if config.Clock == nil {
		config.Clock = NewClock(firstOfJuly())
	}
	if config.PageBytes == 0 {
		config.PageBytes = defaultPageBytes
	}
	if config.Expressions == nil {
		config.Expressions = NewExpressions()
	}
	return &DB{
		config: config,
		clock:  config.Clock,
		random: stream(config.Seed, "database"),
		limits: config.Limits,
		tables: map[string]*table{},
		tokens: map[string]*token{},

		processes: map[int]int{},
	}
}

// Clock is the DB's time.
func (db *DB) Clock() Clock { return db.clock }

// CreateTable adds a table. One that is there already, or that is no valid table,
// is a panic.
func (db *DB) CreateTable(t Table) {
	t.check()
	db.mu.Lock()
	defer db.mu.Unlock()
	if _, ok := db.tables[t.Name]; ok {
		panic(fmt.Sprintf("table %q is there already", t.Name))
	}
	db.tables[t.Name] = newTable(t, db.config.Seed)
}

// number is a client's number in what is counted.
func (db *DB) number(client string) int {
	for i, name := range db.clients {
		if name == client {
			return i
		}
	}
	db.clients = append(db.clients, client)
	return len(db.clients) - 1
}

func (db *DB) table(name *string) (*table, error) {
	if name == nil || *name == "" {
		return nil, invalid("1 validation error detected: Value at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1")
	}
	t, ok := db.tables[*name]
	if !ok {
		return nil, noTable(*name)
	}
	return t, nil
}

// enter begins something at the present time: first, whatever was due before.
func (db *DB) enter() {
	now := db.clock.Now().UnixNano()
	for {
		due, ok := db.agenda.due(now)
		if !ok {
			break
		}
		db.now = due.at
		due.do()
	}
	db.now = now
}

// Settle makes everything that is still on its way happen now, in its order:
// changes on their way to indexes, and late and repeated requests. TTL's deletions
// wait for their time.
func (db *DB) Settle() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.enter()
	db.agenda.settle()
}

// draw is a delay of a kind that may not be configured.
func (db *DB) draw(d Delay) time.Duration {
	if d == nil {
		return 0
	}
	return d(db.random)
}
