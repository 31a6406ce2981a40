// Bench measures the runtime and the provider beside what they are compared with,
// and writes what it finds to docs/benchmarks.md. It is run by `make bench`, which
// gives it a local AWS.
//
// It lies here because only the runtime's own packages can reach the simulator.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/suite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	if suite.Child(ctx) {
		return
	}
	err := run(ctx)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	var o options
	flag.BoolVar(&o.full, "full", false, "apply 3,000 table items as well, which takes many minutes")
	flag.BoolVar(&o.small, "small", false, "make everything small, to see whether it runs: the numbers say nothing")
	flag.StringVar(&o.docs, "docs", "docs", "the folder to write benchmarks.md and its plots to")
	flag.StringVar(&o.profile, "profile", "", "write bench.cpu.prof and bench.mem.prof of this process to a folder")
	only := flag.String("only", "", "rows to measure again, such as P1,P3; all are "+strings.Join(suite.IDs(), ","))
	flag.Parse()
	for id := range strings.FieldsFuncSeq(*only, func(r rune) bool { return r == ',' || r == ' ' }) {
		o.only = append(o.only, strings.ToUpper(id))
	}
	end, err := profile(o.profile)
	if err != nil {
		return err
	}
	return errors.Join(bench(ctx, o), end())
}
