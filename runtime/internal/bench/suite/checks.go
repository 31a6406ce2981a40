package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/rival"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// checksAtOnce is the concurrency of the bucket in these measurements.
const checksAtOnce = 64

func manyAtOnce(b *signal.Bucket) { b.Checks.Concurrency = checksAtOnce }

// checks is P3: how many checks a run makes in a second.
func (s *Suite) checks(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "Checks a second",
		How: fmt.Sprintf("On %s: a run that drains dirty signals with a source that costs nothing, beside bare UpdateItems of the same signals, each at the number at once that is best for it; a check is a claim and a finish, so 0.5 is the bound where all writes take as long. "+
			"On the simulator, in real time: a run (%d at once) beside the literal loop, which goes one by one, when the source takes 20 ms and 5 ms.", s.EngineName, checksAtOnce),
	}
	engine, err := s.besideUpdates(ctx)
	if err != nil {
		return r, err
	}
	r.Lines = append(r.Lines,
		engine.runs.Line(fmt.Sprintf("checks (%d at once) by bare UpdateItems (best at %d at once)", engine.handsAtOnce, engine.updatesAtOnce), "/s", record.AtLeast(0.45)),
		engine.byHand.Line(fmt.Sprintf("the most that this could be: a claim and a finish by hand (best at %d at once) by bare UpdateItems", engine.handsAtOnce), "/s", record.Goal{}),
		record.Pair{Ours: engine.runs.Ours, Theirs: engine.byHand.Ours}.Line("checks by a claim and a finish by hand", "/s", record.Goal{}))
	r.Notes = append(r.Notes, fmt.Sprintf("What a claim and a finish reach by hand, without a run around them, is the bound of the checks on %s: their expressions are longer than that of a bare UpdateItem, and a claim returns its item. A run lists what is dirty as well, before its first claim.", s.EngineName))
	for _, take := range []struct {
		time time.Duration
		goal float64
	}{{20 * time.Millisecond, 40}, {5 * time.Millisecond, 15}} {
		pair, err := s.beside(ctx, take.time)
		if err != nil {
			return r, err
		}
		r.Lines = append(r.Lines, pair.Line(fmt.Sprintf("checks by the literal loop, a source of %s", take.time), "/s", record.AtLeast(take.goal)))
	}
	return r, nil
}

// engineChecks are the checks a second of runs, and the pairs of a claim and a finish
// by hand, each beside bare UpdateItems.
type engineChecks struct {
	runs, byHand               record.Pair
	updatesAtOnce, handsAtOnce int
}

// besideUpdates compares runs, and the same claims and finishes by hand, with the bare
// writes that make their signals dirty. Each works at the number at once that is best
// for it, a run at that of the claims and finishes.
func (s *Suite) besideUpdates(ctx context.Context) (found engineChecks, err error) {
	size := s.sized(1500, 50)
	trial, done, err := s.writers(ctx, size, checksAtOnce)
	if err != nil {
		return found, err
	}
	defer done()
	if found.updatesAtOnce, err = best(func(n int) (float64, error) { return trial.update(ctx, n) }); err != nil {
		return found, err
	}
	found.handsAtOnce, err = best(func(n int) (float64, error) {
		// What is to be claimed has to be dirty.
		if _, err := trial.update(ctx, found.updatesAtOnce); err != nil {
			return 0, err
		}
		return trial.claimAndFinish(ctx, n)
	})
	if err != nil {
		return found, err
	}
	w, done, err := s.writers(ctx, size, found.handsAtOnce)
	if err != nil {
		return found, err
	}
	defer done()
	// Each needs the dirty signals that the bare writes make, so these come first.
	for range s.Rounds {
		for _, side := range []struct {
			into *record.Pair
			do   func() (float64, error)
		}{
			{&found.runs, func() (float64, error) { return w.run(ctx) }},
			{&found.byHand, func() (float64, error) { return w.claimAndFinish(ctx, found.handsAtOnce) }},
		} {
			theirs, err := w.update(ctx, found.updatesAtOnce)
			if err != nil {
				return found, err
			}
			ours, err := side.do()
			if err != nil {
				return found, err
			}
			side.into.Ours, side.into.Theirs = append(side.into.Ours, ours), append(side.into.Theirs, theirs)
		}
	}
	return found, nil
}

// writers write every signal of a season on the engine, and tell how many a second.
type writers struct {
	*season
	runner *check.Runner
	calls  rival.Calls
}

func (s *Suite) writers(ctx context.Context, size, atOnce int) (writers, func(), error) {
	season, done, err := s.onEngine(ctx, size, func(b *signal.Bucket) { b.Shards, b.Checks.Concurrency = 4, atOnce })
	if err != nil {
		return writers{}, nil, err
	}
	return writers{season, season.runner(s.Engine, sourceFunc(plenty)), rival.Calls{API: s.Engine, Table: season.table}}, done, nil
}

// run is a run of the bucket, which must clean them all.
func (w writers) run(ctx context.Context) (float64, error) {
	return perSecond(w.size, func() error {
		report, err := w.runner.Run(ctx, bucketName)
		if err == nil && report.Cleaned+report.Abandoned != int64(w.size) {
			err = fmt.Errorf("a run cleaned %d of %d: %+v", report.Cleaned, w.size, report.Counts)
		}
		return err
	})
}

// update makes them dirty by bare UpdateItems.
func (w writers) update(ctx context.Context, atOnce int) (float64, error) {
	return w.all(ctx, atOnce, func(ctx context.Context, d signal.ProductDate) error {
		_, err := w.store.Write(ctx, protocol.Flip(d.Key(), time.Now()))
		return err
	})
}

// claimAndFinish cleans them by hand.
func (w writers) claimAndFinish(ctx context.Context, atOnce int) (float64, error) {
	return w.all(ctx, atOnce, w.calls.ClaimAndFinish)
}

func (w writers) all(ctx context.Context, atOnce int, do func(context.Context, signal.ProductDate) error) (float64, error) {
	return perSecond(w.size, func() error {
		return each(ctx, 0, w.size, atOnce, func(ctx context.Context, i int) error { return do(ctx, w.day(i)) })
	})
}

// best is the number at once at which a rate is highest.
func best(rate func(atOnce int) (float64, error)) (atOnce int, err error) {
	var most float64
	for _, n := range []int{4, 16, checksAtOnce} {
		r, err := rate(n)
		if err != nil {
			return 0, err
		}
		if r > most {
			most, atOnce = r, n
		}
	}
	return atOnce, nil
}

// beside compares a run with the literal loop when the source takes a time.
func (s *Suite) beside(ctx context.Context, takes time.Duration) (record.Pair, error) {
	many, few := s.sized(3000, 100), s.sized(50, 5)
	ours, err := simulated(ctx, many, manyAtOnce)
	if err != nil {
		return record.Pair{}, err
	}
	theirs, err := simulated(ctx, few)
	if err != nil {
		return record.Pair{}, err
	}
	from := taking(takes)
	runner := ours.runner(ours.db.Client(runnerName), from)
	literal := rival.Literal{API: theirs.db.Client("literal"), Table: tableName, Index: simulator.CadenceIndex, Bucket: bucketName}
	return record.Alternate(s.Rounds,
		func() (float64, error) {
			if err := ours.soil(ctx, 1); err != nil {
				return 0, err
			}
			return perSecond(many, func() error { return ours.tick(ctx, runner, many) })
		},
		func() (float64, error) {
			if err := theirs.soil(ctx, 1); err != nil {
				return 0, err
			}
			return perSecond(few, func() error {
				_, err := literal.Tick(ctx, from)
				return err
			})
		})
}
