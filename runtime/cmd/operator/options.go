package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The tasks that are the command's alone.
const (
	taskDoctor = "doctor"
	taskReport = "report"
)

const usage = `operator TASK [options] [SUBJECT]

  explain SIGNAL                  why a signal shows what it shows: one verdict, and what to do
  check   SIGNAL|PRODUCT|BUCKET   compute it now, due or not; of a bucket, all that is dirty
  audit   SIGNAL|PRODUCT|BUCKET   compare clean values with the source now, and flip what is wrong
  sweep   PRODUCT|BUCKET          delete expired signals that TTL has left
  sync    PRODUCT, or -collection NAME, or -all
                                  make signals what products and dates call for; a dry run without -apply
  doctor                          examine table, registry, rules, function and stream
  report                          draw what is left, what is due and how the buckets run

SIGNAL   as messages and logs have it: "mockPark1/backcountryCamp/1/1 2027-07-01", or
         "availabilitySignal::mockPark1::backcountryCamp::1::1 2027-07-01"
PRODUCT  mockPark1/backcountryCamp/1/1
BUCKET   5min, or cadenceBucket::5min

operator TASK -h lists a task's options. Exit status: 0 all is well, 1 somebody has to see
to something or it could not be done, 2 the command line is wrong.
`

// options are what the command line says.
type options struct {
	task                      operate.Task
	json                      bool
	table, index, globalID    string
	inventory                 string
	region, profile, function string
	drawing                   drawing
	verbose                   bool
}

// drawing are the options of report.
type drawing struct {
	out, svg, from string
	days, products int
	collection     string
}

// parse reads the arguments of a task. Options may stand before and after its
// subject.
func parse(args []string, help io.Writer) (options, error) {
	o := options{task: operate.Task{Task: args[0]}}
	name := o.task.Task
	if !slices.Contains(append(operate.Tasks(), taskDoctor, taskReport), name) {
		return o, fmt.Errorf("%w: %q is no task", errUsage, name)
	}
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	o.flags(f)
	var subjects []string
	for rest := args[1:]; len(rest) > 0; {
		if err := f.Parse(rest); errors.Is(err, flag.ErrHelp) {
			describe(f, name, help)
			return o, errHelp
		} else if err != nil {
			return o, fmt.Errorf("%w: %s: %w", errUsage, name, err)
		}
		if rest = f.Args(); len(rest) > 0 {
			subjects, rest = append(subjects, rest[0]), rest[1:]
		}
	}
	if len(subjects) > 1 {
		return o, fmt.Errorf("%w: %s takes one subject, and was given %q: quote a signal, it has a space in it", errUsage, name, subjects)
	}
	if name == taskDoctor || name == taskReport {
		if len(subjects) > 0 {
			return o, fmt.Errorf("%w: %s is about the whole table, not about %q", errUsage, name, subjects[0])
		}
		return o, o.drawing.validate()
	}
	if len(subjects) == 1 {
		o.about(subjects[0])
	}
	if err := o.task.Validate(); err != nil {
		return o, fmt.Errorf("%w: %w", errUsage, err)
	}
	return o, nil
}

// about sorts out what the subject is. What no bucket can be called is taken for a
// signal: the error then says how one is named.
func (o *options) about(subject string) {
	subjects := operate.Subjects(o.task.Task)
	bucket := strings.HasPrefix(subject, signal.SchemaBucket+"::") || !strings.ContainsAny(subject, "/: ")
	switch {
	case bucket && (slices.Contains(subjects, "bucket") || !slices.Contains(subjects, "signal")):
		o.task.Bucket = subject
	case o.isProduct(subject):
		o.task.Product = subject
	default:
		o.task.Signal = subject
	}
}

// isProduct is whether a subject is one, of a task that may be about one.
func (o *options) isProduct(subject string) bool {
	if !slices.Contains(operate.Subjects(o.task.Task), "product") {
		return false
	}
	_, err := operate.ParseSignal(subject)
	_, product := operate.ParseProduct(subject)
	return err != nil && (product == nil || !slices.Contains(operate.Subjects(o.task.Task), "signal"))
}

func (o *options) flags(f *flag.FlagSet) {
	f.StringVar(&o.table, "table", "", "the signals' `table`; else AVAILABILITY_TABLE_NAME")
	f.StringVar(&o.index, "cadence-index", "", "the table's cadence `index`; else AVAILABILITY_CADENCE_INDEX_NAME, else cadence-index")
	f.StringVar(&o.region, "region", "", "the AWS `region`; else as in every AWS tool")
	f.StringVar(&o.profile, "profile", "", "the `profile` of the shared AWS files; else as in every AWS tool")
	switch name := o.task.Task; name {
	case taskReport:
		o.drawing.flags(f)
		return
	case taskDoctor:
		f.StringVar(&o.globalID, "global-id-index", "", "the table's globalId `index`; else globalId-index")
		f.StringVar(&o.inventory, "inventory-table", "", "the `table` of products and inventory; else AVAILABILITY_INVENTORY_TABLE_NAME, else the signals'")
	default:
		f.StringVar(&o.inventory, "inventory-table", "", "the `table` of products and inventory; else AVAILABILITY_INVENTORY_TABLE_NAME, else the signals'")
		f.StringVar(&o.function, "function", "", "have this Lambda `function` do it, with its own settings, source and permissions; the table is then its own")
		f.BoolVar(&o.verbose, "v", false, "log what is done, as JSON on standard error")
	}
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	switch o.task.Task {
	case operate.TaskExplain:
		f.StringVar(&o.task.Shows, "shows", "", "the `value` that somebody was shown")
	case operate.TaskSync:
		f.StringVar(&o.task.Collection, "collection", "", "sync every product of a `collection`")
		f.BoolVar(&o.task.All, "all", false, "sync every product")
		f.BoolVar(&o.task.Apply, "apply", false, "write; without it, nothing is written")
		f.BoolVar(&o.task.TakeOver, "takeover", false, "make other seeders' signals the stream's own, Terraform's too")
	}
}

func describe(f *flag.FlagSet, name string, w io.Writer) {
	for line := range strings.Lines(usage) {
		if strings.HasPrefix(line, "  "+name) {
			fmt.Fprintf(w, "operator %s\n", strings.TrimSpace(line))
		}
	}
	fmt.Fprintln(w, "\nOptions:")
	f.SetOutput(w)
	f.PrintDefaults()
	if slices.Contains(operate.Tasks(), name) {
		fmt.Fprintln(w, "\nThe source and its settings are the function's environment variables\n(AVAILABILITY_SOURCE and so on); with -function, they are the function's own.")
	}
}
