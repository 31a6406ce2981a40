package main

import (
	"context"
	"os/exec"
	"sync"
)

// children are the programs that are running. They are in process groups of their
// own, so that nobody else would end them with the demo.
type children struct {
	mu      sync.Mutex
	running map[*exec.Cmd]bool
	ended   bool
}

type childrenKey struct{}

// withChildren returns a context whose commands kill can end.
func withChildren(ctx context.Context) (context.Context, *children) {
	c := &children{running: map[*exec.Cmd]bool{}}
	return context.WithValue(ctx, childrenKey{}, c), c
}

func childrenOf(ctx context.Context) *children {
	c, ok := ctx.Value(childrenKey{}).(*children)
	if !ok {
		return &children{running: map[*exec.Cmd]bool{}}
	}
	return c
}

// run runs a command to its end.
func (c *children) run(cmd *exec.Cmd) error {
	if err := c.start(cmd); err != nil {
		return err
	}
	err := cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, cmd)
	return err
}

func (c *children) start(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return errInterrupted
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.running[cmd] = true
	return nil
}

// kill ends them all at once, with all that they have started, and lets none
// begin.
func (c *children) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for cmd := range c.running {
		kill(cmd)
	}
}
