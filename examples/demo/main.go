// Demo shows the whole system on a local AWS: a season of products becomes
// signals, a morning of bookings meets the checks, and every value is compared
// with the inventory in the end. `make demo` starts it; README.md explains it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/beside"
)

// Exit codes: 1 for anything that is not as it should be, and as shells have it
// for an interruption.
const (
	exitFailed      = 1
	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted")

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	ctx, children := withChildren(ctx)
	if len(os.Args) == 4 && os.Args[1] == beside.LiteralArgument {
		os.Exit(literalTick(ctx, os.Args[2], os.Args[3]))
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		stop(errInterrupted)
		// A second one ends everything at once.
		<-signals
		children.kill()
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(ctx))
}

func run(ctx context.Context) int {
	settings, err := readSettings(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		return exitFailed
	}
	out := newPrinter(os.Stdout)
	d, err := newDemo(ctx, settings, out)
	if err == nil {
		err = d.show(ctx)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(context.Cause(ctx), errInterrupted):
		out.line("\n%sinterrupted: everything that was started is being stopped", indent)
		return exitInterrupted
	}
	out.failure(err)
	return exitFailed
}
