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
		How: fmt.Sprintf("Apply, a plan that finds nothing to do, and destroy of %s availability_signal resources on %s, by the median, and once of as many terraform_data, which do nothing and are part of Terraform itself. "+
			"Then once of a provider that does nothing: its resource has the schema of availability_signal, and it calls nobody. Terraform talks to it as to any provider, and writes as much state again whenever one resource is done, so that time grows with the state, whatever the resource does.",
			record.Number(float64(count)), s.EngineName),
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
	var took, bare, idle steps
	for range s.Rounds {
		if err := ours.thrice(ctx, &took); err != nil {
			return r, err
		}
	}
	for _, theirs := range []struct {
		config string
		into   *steps
	}{{floor(count), &bare}, {idleSignals(count), &idle}} {
		w, err := s.workspace(ctx, theirs.config)
		if err != nil {
			return r, err
		}
		if err := w.thrice(ctx, theirs.into); err != nil {
			return r, err
		}
	}
	against := func(them steps, of func(steps) []float64) record.Pair {
		return once(record.Pair{Ours: of(took), Theirs: of(them)})
	}
	all := func(s steps) []float64 { return s.all }
	r.Lines = []record.Line{
		against(bare, all).Line("apply, plan and destroy together, by terraform_data", "s", record.AtMost(1.2)),
		record.Pair{Ours: idle.all, Theirs: bare.all}.Line("the bound: a provider that does nothing, by terraform_data", "s", record.Goal{}),
		against(idle, all).Line("apply, plan and destroy together, by a provider that does nothing", "s", record.Goal{}),
		against(idle, func(s steps) []float64 { return s.apply }).Line("apply, by a provider that does nothing", "s", record.Goal{}),
		against(idle, func(s steps) []float64 { return s.plan }).Line("plan without changes, by a provider that does nothing", "s", record.Goal{}),
		against(idle, func(s steps) []float64 { return s.destroy }).Line("destroy, by a provider that does nothing", "s", record.Goal{}),
		{What: "state, for each resource", Value: float64(took.stateBytes) / float64(count), Unit: "bytes", Detail: fmt.Sprintf("a provider that does nothing %s, terraform_data %s", record.Number(float64(idle.stateBytes)/float64(count)), record.Number(float64(bare.stateBytes)/float64(count)))},
	}
	return r, nil
}

// steps are the seconds that each step took, round by round, and the state's size.
type steps struct {
	apply, plan, destroy, all []float64
	stateBytes                int64
}

// thrice applies, plans and destroys, and times each.
func (w *workspace) thrice(ctx context.Context, into *steps) error {
	applied, err := w.apply(ctx)
	if err != nil {
		return err
	}
	if into.stateBytes, err = w.stateBytes(); err != nil {
		return err
	}
	planned, err := w.plan(ctx)
	if err != nil {
		return err
	}
	destroyed, err := w.destroy(ctx)
	into.apply = append(into.apply, applied.seconds)
	into.plan = append(into.plan, planned.seconds)
	into.destroy = append(into.destroy, destroyed.seconds)
	into.all = append(into.all, applied.seconds+planned.seconds+destroyed.seconds)
	return err
}
