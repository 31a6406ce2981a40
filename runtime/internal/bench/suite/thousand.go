package suite

import (
	"context"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
)

// thousand is P10: many signals as resources of their own.
func (s *Suite) thousand(ctx context.Context) (record.Row, error) {
	count := s.sized(1000, 10)
	r := record.Row{
		Title: "A thousand signals in Terraform",
		How:   fmt.Sprintf("Apply, a plan that finds nothing to do, and destroy of %s availability_signal resources, and of as many terraform_data, which do nothing: what Terraform itself takes. By turns, on %s.", record.Number(float64(count)), s.EngineName),
	}
	table, done, err := s.place(ctx)
	if err != nil {
		return r, err
	}
	defer done()
	ours, err := s.workspace(ctx, signals(table, count))
	if err != nil {
		return r, err
	}
	theirs, err := s.workspace(ctx, floor(count))
	if err != nil {
		return r, err
	}
	var apply, plan, destroy, all record.Pair
	_, err = record.Alternate(s.Rounds,
		func() (float64, error) {
			return 0, ours.thrice(ctx, &apply.Ours, &plan.Ours, &destroy.Ours, &all.Ours)
		},
		func() (float64, error) {
			return 0, theirs.thrice(ctx, &apply.Theirs, &plan.Theirs, &destroy.Theirs, &all.Theirs)
		})
	if err != nil {
		return r, err
	}
	r.Lines = []record.Line{
		all.Line("apply, plan and destroy together, by terraform_data", "s", record.AtMost(1.2)),
		apply.Line("apply", "s", record.Goal{}),
		plan.Line("plan without changes", "s", record.Goal{}),
		destroy.Line("destroy", "s", record.Goal{}),
	}
	return r, nil
}

// thrice applies, plans and destroys, and times each.
func (w *workspace) thrice(ctx context.Context, apply, plan, destroy, all *[]float64) error {
	var sum float64
	for _, step := range []struct {
		do   func(context.Context) (spent, error)
		into *[]float64
	}{{w.apply, apply}, {w.plan, plan}, {w.destroy, destroy}} {
		took, err := step.do(ctx)
		if err != nil {
			return err
		}
		*step.into = append(*step.into, took.seconds)
		sum += took.seconds
	}
	*all = append(*all, sum)
	return nil
}
