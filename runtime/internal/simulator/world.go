package simulator

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// WorldConfig is how a World is.
type WorldConfig struct {
	// Config is the DB's; its Clock must be nil.
	Config
	// Start is when the World begins; by default at the start of July 2026 (UTC).
	Start time.Time
	// MostCalls fails the test and crashes every client after so many calls, for
	// then something goes round and round; by default 1,000,000.
	MostCalls int
}

const defaultMostCalls = 1_000_000

// World is a DB and processes that use it at once, in a bubble of
// testing/synctest: the package time's clock is the World's.
type World struct {
	// T fails the World's test. The test that the World is run by must not be
	// used inside.
	*testing.T
	db        *DB
	scheduler *scheduler
	clients   []*Client
	group     sync.WaitGroup
}

// Run runs body in a World, and then waits for every process to end. All that
// happens follows from the seed, as far as the processes' own goroutines do not
// race each other.
func Run(t *testing.T, config WorldConfig, body func(w *World)) {
	t.Helper()
	if config.Clock != nil {
		panic("a World has a clock of its own")
	}
	if config.Start.IsZero() {
		config.Start = firstOfJuly()
	}
	if config.MostCalls == 0 {
		config.MostCalls = defaultMostCalls
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(config.Start))
		config.Clock = bubbleClock{}
		w := &World{T: t, db: New(config.Config)}
		w.db.world = w
		w.scheduler = newScheduler(config.Seed, config.MostCalls, func() {
			t.Errorf("%d calls and no end: is anything going round and round?", config.MostCalls)
			go w.crashAll()
		})
		go w.scheduler.run()
		defer close(w.scheduler.quit)
		ended := false
		defer func() {
			if !ended {
				// The test was failed for good: nobody waits for anything.
				w.crashAll()
			}
			w.group.Wait()
		}()
		body(w)
		ended = true
	})
}

// DB is the World's database.
func (w *World) DB() *DB { return w.db }

// Client is a new client of the DB.
func (w *World) Client(name string, options ...ClientOption) *Client {
	return w.db.Client(name, options...)
}

// Go starts a process: a goroutine with a client of its own, which it returns.
func (w *World) Go(name string, process func(c *Client), options ...ClientOption) *Client {
	c := w.Client(name, options...)
	w.group.Go(func() { process(c) })
	return c
}

// Wait waits for every process that was started to end.
func (w *World) Wait() { w.group.Wait() }

// Calls is how many calls and parts of calls there have been.
func (w *World) Calls() int {
	w.scheduler.mu.Lock()
	defer w.scheduler.mu.Unlock()
	return w.scheduler.passed
}

func (w *World) crashAll() {
	w.db.mu.Lock()
	clients := w.clients
	w.db.mu.Unlock()
	for _, c := range clients {
		c.Crash()
	}
}

// point is where a call of a World waits for its turn.
func (db *DB) point(c *Call) {
	if db.world != nil {
		db.world.scheduler.pass(c)
	}
}
