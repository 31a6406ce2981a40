package beside

import (
	"context"
	"errors"
	"fmt"
)

// Begin begins a run of a bucket, in a process of its own. What the process sends goes
// through the gate, if there is one.
type Begin func(ctx context.Context, bucket string, g *Gate) (*Tick, error)

// Tick is a run of a bucket.
type Tick struct {
	kill func() error
	// ended has how it ended.
	ended chan error
}

// NewTick is a tick of a process that has been started: run waits for its end, and
// kill ends it as kill -9 does, so that run is an error. What it has sent by then is
// under way all the same.
func NewTick(run, kill func() error) *Tick {
	t := &Tick{kill: kill, ended: make(chan error, 1)}
	go func() { t.ended <- run() }()
	return t
}

// killed kills the process.
func (t *Tick) killed() error {
	if err := t.kill(); err != nil {
		return fmt.Errorf("kill the process: %w", err)
	}
	if err := <-t.ended; err == nil {
		return errors.New("the process ended before it was killed")
	}
	return nil
}

// wait waits for the run's end.
func (t *Tick) wait() error { return <-t.ended }
