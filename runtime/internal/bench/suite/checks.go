package suite

import (
	"context"
	"fmt"
	"time"

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
		How: fmt.Sprintf("On %s: a run that drains dirty signals with a source that costs nothing, beside bare UpdateItems of the same signals at the number at once that is best for them; a check is a claim and a finish, so 0.5 is the bound. "+
			"On the simulator, in real time: a run (%d at once) beside the literal loop, which goes one by one, when the source takes 20 ms and 5 ms.", s.EngineName, checksAtOnce),
	}
	bare, atOnce, err := s.bareUpdates(ctx)
	if err != nil {
		return r, err
	}
	r.Lines = append(r.Lines, bare.Line(fmt.Sprintf("checks by bare UpdateItems (best at %d at once)", atOnce), "/s", record.AtLeast(0.45)))
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

// bareUpdates compares runs with the bare writes that make their signals dirty.
func (s *Suite) bareUpdates(ctx context.Context) (p record.Pair, best int, err error) {
	size := s.sized(2000, 50)
	season, done, err := s.onEngine(ctx, size, func(b *signal.Bucket) { b.Shards, b.Checks.Concurrency = 4, checksAtOnce })
	if err != nil {
		return p, 0, err
	}
	defer done()
	runner := season.runner(s.Engine, sourceFunc(plenty))
	clean := func() (float64, error) {
		began := time.Now()
		report, err := runner.Run(ctx, bucketName)
		if err == nil && report.Cleaned+report.Abandoned != int64(size) {
			err = fmt.Errorf("a run cleaned %d of %d: %+v", report.Cleaned, size, report.Counts)
		}
		return float64(size) / time.Since(began).Seconds(), err
	}
	bare := func(atOnce int) (float64, error) {
		return perSecond(size, func() error {
			return each(ctx, 0, size, atOnce, func(ctx context.Context, i int) error {
				_, err := season.store.Write(ctx, protocol.Flip(season.day(i).Key(), time.Now()))
				return err
			})
		})
	}
	var most float64
	for _, atOnce := range []int{4, 8, 16, 32, 64} {
		rate, err := bare(atOnce)
		if err != nil {
			return p, 0, err
		}
		if rate > most {
			most, best = rate, atOnce
		}
	}
	// A run needs the dirty signals that the bare writes make, so these come first
	// in every round.
	for range s.Rounds {
		theirs, err := bare(best)
		if err != nil {
			return p, best, err
		}
		ours, err := clean()
		if err != nil {
			return p, best, err
		}
		p.Ours, p.Theirs = append(p.Ours, ours), append(p.Theirs, theirs)
	}
	return p, best, nil
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
