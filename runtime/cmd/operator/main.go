// Operator does what operators do with signals: explain one, check some now, audit,
// sweep, sync, examine the whole (doctor), and draw it (report).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker.
var version = "dev"

// Exit codes.
const (
	exitOK = 0
	// exitFindings: somebody has to see to something, or it could not be done.
	exitFindings = 1
	exitUsage    = 2
)

// errUsage is a command line that says nothing that can be done.
var errUsage = errors.New("usage")

// errHelp is a command line that asks for help, which it has been given.
var errHelp = errors.New("help")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, getenv func(string) string, out, problems io.Writer) int {
	findings, err := do(ctx, args, getenv, out, problems)
	switch {
	case errors.Is(err, errHelp):
		return exitOK
	case errors.Is(err, errUsage):
		fmt.Fprintf(problems, "operator: %v\nTry: operator -h\n", err)
		return exitUsage
	case err != nil:
		fmt.Fprintf(problems, "operator: %v\n", advised(err))
		return exitFindings
	case findings:
		return exitFindings
	}
	return exitOK
}

func do(ctx context.Context, args []string, getenv func(string) string, out, problems io.Writer) (findings bool, err error) {
	if len(args) == 0 {
		return false, fmt.Errorf("%w: a task is missing", errUsage)
	}
	switch name := args[0]; name {
	case "-h", "-help", "--help", "help":
		_, err := io.WriteString(out, usage)
		if err == nil {
			err = errHelp
		}
		return false, err
	case "-version", "--version", "version":
		_, err := fmt.Fprintln(out, "availability operator", version)
		return false, err
	}
	o, err := parse(args, out)
	if err != nil {
		return false, err
	}
	a, err := connect(ctx, o, getenv, problems)
	if err != nil {
		return false, err
	}
	switch o.task.Task {
	case taskDoctor:
		return a.doctor(ctx, out)
	case taskReport:
		return false, a.report(ctx, out)
	}
	return a.do(ctx, out)
}
