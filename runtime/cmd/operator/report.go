package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/chart"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func (d *drawing) flags(f *flag.FlagSet) {
	f.StringVar(&d.out, "out", "availability.html", "the `file` to write; one that is there keeps the runs that it has seen")
	f.StringVar(&d.svg, "svg", "", "write the heat map of what is left into this `file`, too")
	f.StringVar(&d.collection, "collection", "", "draw one `collection` only")
	f.StringVar(&d.from, "from", "", "the first `date` to draw; else the earliest that is not over")
	f.IntVar(&d.days, "days", 400, "how many dates to draw at most")
	f.IntVar(&d.products, "products", 200, "how many products to draw at most")
}

func (d drawing) validate() error {
	if d.from != "" {
		if _, err := signal.ParseDate(d.from); err != nil {
			return fmt.Errorf("%w: -from: %w", errUsage, err)
		}
	}
	if d.days < 0 || d.products < 0 {
		return fmt.Errorf("%w: -days and -products are at least 0, which is all", errUsage)
	}
	return nil
}

func (a *access) report(ctx context.Context, out io.Writer) error {
	if err := operate.MindClock(ctx, a.skew); err != nil {
		// Not as of other tasks, which the function can do: nobody else draws it.
		return errors.New(err.Error() + " (NTP keeps it so)")
	}
	table := a.getenv(lambda.EnvTable)
	s := chart.Selection{Collection: a.drawing.collection, Days: a.drawing.days, Products: a.drawing.products}
	if a.drawing.from != "" {
		s.First, _ = signal.ParseDate(a.drawing.from) // validated
	}
	reader := read.New(a.db, table, read.WithConsistentReads())
	board, err := chart.Collect(ctx, dynamo.NewFinder(a.db, table), reader, table, s, time.Now().UTC().Truncate(time.Second))
	if err != nil {
		return err
	}
	if c := a.drawing.collection; c != "" && len(board.Rows) == 0 {
		return fmt.Errorf("table %q has no signal of collection %q whose date is not over: nothing was drawn; see whether the name is right, and whether this is the table", table, c)
	}
	if err := write(a.drawing.out, board.WriteHTML, board.Remember); err != nil {
		return err
	}
	fmt.Fprintln(out, a.drawing.out)
	if a.drawing.svg == "" {
		return nil
	}
	fmt.Fprintln(out, a.drawing.svg)
	return write(a.drawing.svg, board.WriteSVG, nil)
}

// write writes a drawing into a file in one go; remember is given what was there.
func write(file string, draw func(io.Writer) error, remember func([]byte) error) error {
	if remember != nil {
		earlier, err := os.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("read the earlier report: %w", err)
		default:
			if err := remember(earlier); err != nil {
				return fmt.Errorf("%s is there already, and %w: give another file by -out, or remove it", file, err)
			}
		}
	}
	var b bytes.Buffer
	if err := draw(&b); err != nil {
		return err
	}
	next := file + ".next"
	if err := os.WriteFile(next, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := os.Rename(next, file); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
