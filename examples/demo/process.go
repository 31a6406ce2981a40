package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long an interrupted command has to come to an end.
const patience = 60 * time.Second

// command is a program that runs with its output in a log.
type command struct {
	dir string
	env []string
	log string
	// whole is set for a program that leaves it to whoever interrupts it to
	// interrupt what it has started.
	whole bool
}

// run runs a program to its end. If ctx ends first, the program is interrupted
// once and awaited. Its error is a *logged one.
func (c command) run(ctx context.Context, name string, args ...string) error {
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open a log: %w", err)
	}
	defer log.Close()
	words := append([]string{filepath.Base(name)}, args...)
	fmt.Fprintf(log, "\n$ %s\n", strings.Join(words, " "))
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return interrupt(cmd, c.whole) }
	cmd.WaitDelay = patience
	// A terminal's Ctrl-C would reach the program beside this interruption, and
	// Terraform takes the second for an order to drop everything.
	apart(cmd)
	if err := childrenOf(ctx).run(cmd); err != nil {
		return &logged{c.log, fmt.Errorf("run %s: %w", strings.Join(words[:min(2, len(words))], " "), err)}
	}
	return nil
}
