package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/beside"
)

// compared is what came of the scenes that the literal loop plays, too.
type compared struct {
	results []beside.Result
	err     error
}

// literalTick is this program as a tick of the literal loop.
func literalTick(ctx context.Context, table, bucket string) int {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err == nil {
		err = beside.LiteralLoop(ctx, dynamodb.NewFromConfig(cfg), table, bucket)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	return 0
}

// stageLiteralLoop begins to stage the scenes, on a table of their own. They take two
// minutes of waiting, for the lease of a process that is killed and for the audit,
// which are spent on the season.
func (d *demo) stageLiteralLoop(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	d.beside = make(chan compared, 1)
	processes := beside.Processes{Endpoint: d.endpoint, Bootstrap: filepath.Join(d.work, "bootstrap"), Self: self}
	stage := beside.Stage{
		DB: d.db, Literal: processes.BeginLiteral, Runtime: processes.BeginRuntime,
		CreateTable: func(ctx context.Context, name string) error { return createTable(ctx, d.db, name) },
		DeleteTable: func(ctx context.Context, name string) error { return deleteTable(ctx, d.db, name) },
	}
	go func() {
		results, err := beside.Compare(ctx, stage)
		d.beside <- compared{results, err}
	}()
	return nil
}

// literalLoop tells what the literal loop and the runtime have made of the same.
func (d *demo) literalLoop(ctx context.Context) error {
	d.out.scene("Beside the literal loop", "Query what is dirty, compute, store, reset the bit: what goes wrong with that, and with this. All of it was staged meanwhile, on this local AWS.")
	c, err := d.awaitCompared(ctx)
	if err != nil {
		return err
	}
	if c.err != nil {
		return fmt.Errorf("beside the literal loop: %w", c.err)
	}
	for _, r := range c.results {
		d.out.line("")
		d.out.line("%s. %s", r.Name, r.Story)
		d.out.lines(aligned([][]string{
			{"", "has", "shows", "wrong"},
			{"literal loop", r.Literal.Left, r.Literal.Value, yes(r.Literal.Wrong())},
			{"this", r.Runtime.Left, r.Runtime.Value, yes(r.Runtime.Wrong())},
		}))
		d.out.line("literal loop: %s", r.HowLiteral)
		d.out.line("this: %s", r.HowRuntime)
	}
	d.wrongDays, err = verdict(c.results)
	if d.keep {
		d.out.last(indent + d.wrongDays) // before it stays
	}
	return err
}

// verdict is the demo's last line. The error is that the scenes have not shown what
// they are to show: each a wrong day of the literal loop's, and none of the runtime's.
func verdict(results []beside.Result) (line string, err error) {
	literal, this := 0, 0
	for _, r := range results {
		if r.Literal.Wrong() {
			literal++
		}
		if r.Runtime.Wrong() {
			this++
		}
	}
	switch {
	case this > 0:
		err = fmt.Errorf("%s where none may be", plural(this, "wrong day"))
	case literal < len(results) || literal == 0:
		err = fmt.Errorf("the literal loop shows %s of %d: the staging has failed, and proves nothing", plural(literal, "wrong day"), len(results))
	}
	return fmt.Sprintf("wrong days: literal loop %d, this %d", literal, this), err
}

func (d *demo) awaitCompared(ctx context.Context) (compared, error) {
	tick := time.NewTicker(often)
	defer tick.Stop()
	tell := d.waiting("the last of them")
	for {
		select {
		case c := <-d.beside:
			return c, nil
		case <-tick.C:
			tell(nil)
		case <-ctx.Done():
			return compared{}, context.Cause(ctx)
		}
	}
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
