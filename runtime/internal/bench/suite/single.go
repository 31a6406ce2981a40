package suite

import (
	"context"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
)

// single is P9: one signal beside one table item.
func (s *Suite) single(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "One signal in Terraform",
		How:   "`terraform apply` and a plan that finds nothing to do, of one availability_signal and of one aws_dynamodb_table_item of hashicorp/aws, each initialised before, by turns, on " + s.EngineName + ". An empty terraform_data takes its turn as well: Terraform itself takes as long, and no provider can be faster. The memory is the most that the provider's process had resident while it was watched.",
	}
	if awsMirror() == "" {
		r.Notes = append(r.Notes, noMirror)
		return r, nil
	}
	ourTable, done, err := s.place(ctx)
	if err != nil {
		return r, err
	}
	defer done()
	theirTable, done, err := s.place(ctx)
	if err != nil {
		return r, err
	}
	defer done()
	ours, err := s.workspace(ctx, signals(ourTable, 1))
	if err != nil {
		return r, err
	}
	theirs, err := s.workspace(ctx, tableItems(theirTable, 1))
	if err != nil {
		return r, err
	}
	empty, err := s.workspace(ctx, floor(1))
	if err != nil {
		return r, err
	}
	var apply, plan, memory record.Pair
	var least struct{ apply, plan, memory []float64 }
	_, err = record.Alternate(s.Rounds,
		func() (float64, error) {
			if err := empty.once(ctx, &least.apply, &least.plan, &least.memory); err != nil {
				return 0, err
			}
			return 0, ours.once(ctx, &apply.Ours, &plan.Ours, &memory.Ours)
		},
		func() (float64, error) {
			return 0, theirs.once(ctx, &apply.Theirs, &plan.Theirs, &memory.Theirs)
		})
	if err != nil {
		return r, err
	}
	r.Lines = []record.Line{
		apply.Line("apply, by hashicorp/aws", "s", record.AtMost(0.1)),
		plan.Line("plan without changes, by hashicorp/aws", "s", record.AtMost(0.1)),
		memory.Line("the provider's memory, by hashicorp/aws", "MiB", record.AtMost(1.0/7)),
		record.Pair{Ours: least.apply, Theirs: apply.Theirs}.Line("the bound of apply: an empty terraform_data, by hashicorp/aws", "s", record.Goal{}),
		record.Pair{Ours: least.plan, Theirs: plan.Theirs}.Line("the bound of the plan: an empty terraform_data, by hashicorp/aws", "s", record.Goal{}),
	}
	return r, nil
}

const noMirror = "hashicorp/aws was not found on this machine, so that nothing was compared with it: AVAILABILITY_AWS_MIRROR names a filesystem mirror that has it."

// once applies, plans and destroys.
func (w *workspace) once(ctx context.Context, apply, plan, memory *[]float64) error {
	applied, err := w.apply(ctx)
	if err != nil {
		return err
	}
	planned, err := w.plan(ctx)
	if err != nil {
		return err
	}
	*apply, *plan = append(*apply, applied.seconds), append(*plan, planned.seconds)
	*memory = append(*memory, max(applied.mib, planned.mib))
	_, err = w.destroy(ctx)
	return err
}
