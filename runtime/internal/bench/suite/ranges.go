package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/rival"
)

// season is P11: a range of many dates.
func (s *Suite) season(ctx context.Context) (record.Row, error) {
	many := s.sized(10_000, 60)
	r := record.Row{
		Title: "A season as one range",
		How: fmt.Sprintf("On %s: a range beside as many table items of hashicorp/aws, which are measured once; a range of %s dates beside an empty terraform_data and a bare loop of the same conditional inserts, 25 to a request; the seeder without Terraform beside that loop.",
			s.EngineName, record.Number(float64(many))),
	}
	for _, part := range []func(context.Context, *record.Row) error{s.besideItems, s.besideLoop, s.longPlan, s.seedMemory} {
		if err := part(ctx, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// besideItems compares with table items, once.
func (s *Suite) besideItems(ctx context.Context, r *record.Row) error {
	count := s.sized(300, 5)
	if s.Full {
		count = s.sized(3000, 10)
	}
	if awsMirror() == "" {
		r.Notes = append(r.Notes, noMirror)
		return nil
	}
	var apply, destroy record.Pair
	refused, err := s.cycleItems(ctx, count, &apply.Theirs, &destroy.Theirs)
	if err != nil {
		return err
	}
	if refused > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of the %s table items were made, and then refused for themselves: answers of %s are lost now and then, the SDK sends the put again, and hashicorp/aws has it fail if there is an item. They are not in the state, so that the destroy had as many fewer to do.",
			refused, record.Number(float64(count)), s.EngineName))
	}
	table, done, err := s.place(ctx)
	if err != nil {
		return err
	}
	defer done()
	ours, err := s.workspace(ctx, oneRange(table, count))
	if err != nil {
		return err
	}
	for range s.Rounds {
		if err := ours.cycle(ctx, &apply.Ours, &destroy.Ours); err != nil {
			return err
		}
	}
	a, d := once(apply), once(destroy)
	goals := [2]record.Goal{}
	if s.Full {
		goals = [2]record.Goal{record.AtLeast(60), record.AtLeast(100)}
		s.FullFound = &record.Full{
			Date: time.Now().UTC().Format(time.DateOnly), Items: count,
			ItemsApply: a.Theirs[0], ItemsDestroy: d.Theirs[0], RangeApply: record.Median(a.Ours), RangeDestroy: record.Median(d.Ours),
		}
	} else {
		r.Notes = append(r.Notes, fmt.Sprintf("The goals (60× and 100×) are for 3,000 table items, which take many minutes: `make bench FULL=1` measures them, and its last result, if there is one, is on this page. %d are measured in every run, and show less: Terraform takes more than proportionally longer for more resources.", count))
	}
	r.Lines = append(r.Lines,
		a.Inverse().Line(fmt.Sprintf("apply: %s table items by a range of as many dates", record.Number(float64(count))), "s", goals[0]),
		d.Inverse().Line(fmt.Sprintf("destroy: %s table items by a range of as many dates", record.Number(float64(count))), "s", goals[1]))
	return nil
}

// cycleItems applies and destroys table items. Some are refused: their put is repeated
// by the SDK when the answer was lost, for the item that it has made.
// They have been written, and their time counts as that of the others, less their
// destroy: a few of them, which are told, leave the comparison as it is or better for
// them.
func (s *Suite) cycleItems(ctx context.Context, count int, apply, destroy *[]float64) (refused int, err error) {
	table, done, err := s.place(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	theirs, err := s.workspace(ctx, tableItems(table, count))
	if err != nil {
		return 0, err
	}
	applied, err := theirs.apply(ctx)
	if failed, ok := errors.AsType[*terraformError](err); ok {
		refused = strings.Count(failed.output, "ConditionalCheckFailedException")
		if all := strings.Count(failed.output, "\nError:"); refused == all && refused <= count/20 {
			err = nil
		}
	}
	if err != nil {
		return refused, err
	}
	destroyed, err := theirs.destroy(ctx)
	if err != nil {
		return refused, err
	}
	*apply, *destroy = append(*apply, applied.seconds), append(*destroy, destroyed.seconds)
	return refused, nil
}

// once repeats the one measurement of theirs beside each of ours.
func once(p record.Pair) record.Pair {
	theirs := p.Theirs[0]
	p.Theirs = make([]float64, len(p.Ours))
	for i := range p.Theirs {
		p.Theirs[i] = theirs
	}
	return p
}

// cycle applies and destroys.
func (w *workspace) cycle(ctx context.Context, apply, destroy *[]float64) error {
	applied, err := w.apply(ctx)
	if err != nil {
		return err
	}
	destroyed, err := w.destroy(ctx)
	if err != nil {
		return err
	}
	*apply, *destroy = append(*apply, applied.seconds), append(*destroy, destroyed.seconds)
	return nil
}

// besideLoop compares a long range, and the seeder without Terraform, with the least
// that they could take.
func (s *Suite) besideLoop(ctx context.Context, r *record.Row) error {
	days := s.sized(10_000, 60)
	table, done, err := s.place(ctx)
	if err != nil {
		return err
	}
	defer done()
	long, err := s.workspace(ctx, oneRange(table, days))
	if err != nil {
		return err
	}
	empty, err := s.workspace(ctx, floor(1))
	if err != nil {
		return err
	}
	items, err := s.items(days)
	if err != nil {
		return err
	}
	atOnce, err := s.bestInserts(ctx, items)
	if err != nil {
		return err
	}
	var apply, rate record.Pair
	var state int64
	for range s.Rounds {
		var took [3]spent
		for i, step := range []func(context.Context) (spent, error){empty.apply, long.apply, empty.destroy} {
			if took[i], err = step(ctx); err != nil {
				return err
			}
		}
		if state, err = long.stateBytes(); err != nil {
			return err
		}
		if _, err := long.destroy(ctx); err != nil {
			return err
		}
		loop, err := s.insert(ctx, items, atOnce)
		if err != nil {
			return err
		}
		seed, _, err := s.seedRange(ctx, days)
		if err != nil {
			return err
		}
		apply.Ours, apply.Theirs = append(apply.Ours, took[1].seconds), append(apply.Theirs, took[0].seconds+1.25*loop)
		rate.Ours, rate.Theirs = append(rate.Ours, float64(days)/seed), append(rate.Theirs, float64(days)/loop)
	}
	dates := record.Number(float64(days)) + " dates"
	r.Lines = append(r.Lines,
		apply.Line("apply of "+dates+" by an empty resource's and 1.25 of a bare loop of its writes", "s", record.AtMost(1)),
		record.Line{What: "state of " + dates, Value: float64(state) / 1024, Unit: "KiB", Goal: record.AtMost(4)},
		rate.Line(fmt.Sprintf("signals seeded a second by bare conditional inserts (best at %d requests at once)", atOnce), "/s", record.AtLeast(0.8)))
	return nil
}

// insert times the bare loop, in a new table.
func (s *Suite) insert(ctx context.Context, items []item, atOnce int) (seconds float64, err error) {
	table, done, err := s.place(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	began := time.Now()
	err = rival.Insert(ctx, s.Engine, table, items, atOnce)
	return time.Since(began).Seconds(), err
}

// bestInserts is how many requests at once the bare loop is fastest with.
func (s *Suite) bestInserts(ctx context.Context, items []item) (best int, err error) {
	some := items[:min(len(items), 5000)]
	least := 0.0
	for _, atOnce := range []int{1, 2, 4, 8} {
		seconds, err := s.insert(ctx, some, atOnce)
		if err != nil {
			return 0, err
		}
		if best == 0 || seconds < least {
			best, least = atOnce, seconds
		}
	}
	return best, nil
}
