// Capacity prints how many units, shards, functions and dollars a platform's signals
// take, what limits them first, and what other ways would cost.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/capacity"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// exitUsage is the exit code of what cannot be reckoned.
const exitUsage = 2

func run(args []string, out, problems io.Writer) (code int) {
	p := capacity.Example()
	f := flags(&p, problems)
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	var err error
	if f.NArg() > 0 {
		err = fmt.Errorf("%q is no setting, and what comes after it would not be read: numbers have no spaces or commas in them", strings.Join(f.Args(), " "))
	}
	if err == nil {
		err = p.Validate()
	}
	if err == nil {
		err = p.Print(out, capacity.Published())
	}
	if err != nil {
		_, _ = fmt.Fprintln(problems, err)
		return exitUsage
	}
	return 0
}

// flags are the settings of a platform; what is wrong with them is told to problems.
func flags(p *capacity.Platform, problems io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("capacity", flag.ContinueOnError)
	f.SetOutput(problems)
	f.Usage = func() {
		_, _ = fmt.Fprint(problems, "make capacity reckons what a platform's signals take. It is told these in capital letters, with _ for -, as in\n\n  make capacity SIGNALS=2000000 ALL_CADENCE=1\n\n")
		f.PrintDefaults()
	}
	f.Float64Var(&p.Signals, "signals", p.Signals, "signals, one for each product and date")
	f.IntVar(&p.Buckets, "buckets", p.Buckets, "buckets that share them")
	f.Float64Var(&p.CadenceMinutes, "cadence", p.CadenceMinutes, "minutes between the ticks of a bucket")
	f.Float64Var(&p.Bookings, "bookings", p.Bookings, "changes of inventory a second")
	f.Float64Var(&p.Active, "active", p.Active, "signals that these fall on, evenly; 0 for all")
	f.Float64Var(&p.Views, "views", p.Views, "calendar views a second")
	f.IntVar(&p.Dates, "dates", p.Dates, "dates of a view")
	f.StringVar((*string)(&p.Way), "flip", string(p.Way), "how bookings flip: coalesced, blind, transaction or stream")
	f.BoolVar(&p.AllCadence, "all-cadence", p.AllCadence, "the cadence index is one with projection ALL")
	f.BoolVar(&p.AllGlobalID, "all-global-id", p.AllGlobalID, "the globalId index is one with projection ALL")
	f.IntVar(&p.WriteBudget, "budget", p.WriteBudget, "write_budget of the buckets: finishes a second and shard")
	f.IntVar(&p.Concurrency, "concurrency", p.Concurrency, "checks at once of a run")
	f.Float64Var(&p.StalenessHours, "staleness", p.StalenessHours, "hours within which the audit passes all; 0 for none")
	f.Float64Var(&p.CheckMS, "check", p.CheckMS, "milliseconds of a check")
	f.Float64Var(&p.MemoryMiB, "memory", p.MemoryMiB, "MiB of memory of the function")
	f.Float64Var(&p.ItemBytes, "item", p.ItemBytes, "bytes of a signal's item")
	return f
}
