// Capacity prints how many units, shards, functions and dollars a platform's signals
// take, what limits them first, and what other ways would cost.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/capacity"
)

func main() {
	p := capacity.Example()
	flag.Float64Var(&p.Signals, "signals", p.Signals, "signals, one for each product and date")
	flag.IntVar(&p.Buckets, "buckets", p.Buckets, "buckets that share them")
	flag.Float64Var(&p.CadenceMinutes, "cadence", p.CadenceMinutes, "minutes between the ticks of a bucket")
	flag.Float64Var(&p.Bookings, "bookings", p.Bookings, "changes of inventory a second")
	flag.Float64Var(&p.Active, "active", p.Active, "signals that these fall on, evenly; 0 for all")
	flag.Float64Var(&p.Views, "views", p.Views, "calendar views a second")
	flag.IntVar(&p.Dates, "dates", p.Dates, "dates of a view")
	flag.StringVar((*string)(&p.Way), "flip", string(p.Way), "how bookings flip: coalesced, blind, transaction or stream")
	flag.BoolVar(&p.AllCadence, "all-cadence", p.AllCadence, "the cadence index is one with projection ALL")
	flag.BoolVar(&p.AllGlobalID, "all-global-id", p.AllGlobalID, "the globalId index is one with projection ALL")
	flag.IntVar(&p.WriteBudget, "budget", p.WriteBudget, "write_budget of the buckets: finishes a second and shard")
	flag.IntVar(&p.Concurrency, "concurrency", p.Concurrency, "checks at once of a run")
	flag.Float64Var(&p.StalenessHours, "staleness", p.StalenessHours, "hours within which the audit passes all; 0 for none")
	flag.Float64Var(&p.CheckMS, "check", p.CheckMS, "milliseconds of a check")
	flag.Float64Var(&p.MemoryMiB, "memory", p.MemoryMiB, "MiB of memory of the function")
	flag.Float64Var(&p.ItemBytes, "item", p.ItemBytes, "bytes of a signal's item")
	flag.Parse()
	err := p.Validate()
	if err == nil {
		err = p.Print(os.Stdout, capacity.Published())
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
