package suite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/rival"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	flipsPerTick = 20
	callers      = 64
)

// units is P1: what flips and checks cost.
func (s *Suite) units(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "Units of flips and a check",
		How: fmt.Sprintf("%d flips of one signal and the tick that checks it, on the simulator: this, and the literal loop (every flip an UpdateItem, every check one more). "+
			"The query, the registry read and the run item are counted apart.", flipsPerTick),
	}
	one, err := s.flipped(ctx, func(ctx context.Context, c *flip.Client, k signal.Key) error {
		for range flipsPerTick {
			if err := c.Flip(ctx, k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	joined, err := s.flipped(ctx, joinedFlips)
	if err != nil {
		return r, err
	}
	literal, err := s.literally(ctx)
	if err != nil {
		return r, err
	}
	again := one.again
	r.Lines = []record.Line{
		{What: "one after the other: write units", Value: one.signal.Write, Goal: record.AtMost(7), Detail: "literal loop " + record.Number(literal.Write)},
		{What: "one after the other: read units", Value: one.signal.Read, Goal: record.AtMost(20), Detail: "literal loop " + record.Number(literal.Read)},
		{What: fmt.Sprintf("%d callers of one process at once: write units", callers), Value: joined.signal.Write, Goal: record.AtMost(7)},
		{What: fmt.Sprintf("%d callers of one process at once: read units", callers), Value: joined.signal.Read, Goal: record.AtMost(2)},
		{What: "one more flip, dirty and unclaimed: write units", Value: again.Write, Goal: record.AtMost(0), Detail: record.Number(again.Read) + " read"},
		{What: "literal loop: write units", Value: literal.Write, Detail: "25 by the rules"},
		{What: "the price of it, at 5 reads to a write: literal loop by this", Value: price(literal) / price(one.signal), Unit: "x"},
		{What: "the same for callers at once", Value: price(literal) / price(joined.signal), Unit: "x"},
		{What: "beside these, per run: read units", Value: one.run.Read, Detail: "sixteen queries and the registry item"},
		{What: "beside these, per run: write units", Value: one.run.Write, Detail: "the run item, twice"},
	}
	return r, nil
}

// price is units in those of a write, at the on-demand prices: five reads to one.
func price(u simulator.Units) float64 { return u.Write + u.Read/5 }

// writerName is who flips are counted for.
const writerName = "writer"

// slowWriter is a network on which callers meet: the first flip is under way when
// the others come.
func slowWriter(_ *rand.Rand, c *simulator.Call) simulator.Fault {
	if c.Client == writerName {
		return simulator.Fault{Delay: 50 * time.Millisecond}
	}
	return simulator.Fault{}
}

// joinedFlips are flips of many callers at once.
func joinedFlips(ctx context.Context, c *flip.Client, k signal.Key) error {
	failures := make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { failures[i] = c.Flip(ctx, k) })
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

type flipUnits struct {
	// signal is what its flips and its check cost, run what the run costs beside
	// it, and again one more flip.
	signal, run, again simulator.Units
}

func (s *Suite) flipped(ctx context.Context, flips func(context.Context, *flip.Client, signal.Key) error) (u flipUnits, err error) {
	season, err := simulatedAs(ctx, simulator.Config{Faults: slowWriter}, 1)
	if err != nil {
		return u, err
	}
	of := func(client string) simulator.Units {
		return season.db.Units(simulator.Scope{Client: client, Index: simulator.Everything})
	}
	key := season.day(0).Key()
	if err := flips(ctx, flip.New(season.db.Client(writerName), tableName), key); err != nil {
		return u, err
	}
	if err := flip.New(season.db.Client("one more"), tableName).Flip(ctx, key); err != nil {
		return u, err
	}
	runner := season.runner(season.db.Client(runnerName), sourceFunc(plenty))
	runner.Store = splitStore{dynamo.NewStore(season.db.Client(runnerName), tableName), dynamo.NewStore(season.db.Client("checks"), tableName)}
	if err := season.tick(ctx, runner, 1); err != nil {
		return u, err
	}
	writer, checks := of(writerName), of("checks")
	u.signal = simulator.Units{Read: writer.Read + checks.Read, Write: writer.Write + checks.Write}
	u.run, u.again = of(runnerName), of("one more")
	return u, nil
}

func (s *Suite) literally(ctx context.Context) (simulator.Units, error) {
	season, err := simulated(ctx, 1)
	if err != nil {
		return simulator.Units{}, err
	}
	l := rival.Literal{API: season.db.Client("literal"), Table: tableName, Index: simulator.CadenceIndex, Bucket: bucketName}
	for range flipsPerTick {
		if err := l.Flip(ctx, season.day(0).Key()); err != nil {
			return simulator.Units{}, err
		}
	}
	if done, err := l.Tick(ctx, sourceFunc(plenty)); err != nil || done != 1 {
		return simulator.Units{}, fmt.Errorf("the literal loop checks %d signals: %w", done, err)
	}
	all := season.db.Units(simulator.Scope{Client: "literal", Index: simulator.Everything})
	query := season.db.Units(simulator.Scope{Client: "literal", Index: simulator.CadenceIndex})
	// The query is counted apart, as ours is.
	return simulator.Units{Read: all.Read - query.Read, Write: all.Write}, nil
}

// splitStore sends what is about signals by a client of its own, so that it is
// counted by itself.
type splitStore struct {
	*dynamo.Store
	checks *dynamo.Store
}

func (s splitStore) of(w protocol.Write) *dynamo.Store {
	if strings.HasPrefix(w.Key.PK, signal.SchemaSignal) {
		return s.checks
	}
	return s.Store
}

func (s splitStore) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	return s.of(w).Write(ctx, w)
}

func (s splitStore) WriteOnce(ctx context.Context, w protocol.Write) (signal.Item, error) {
	return s.of(w).WriteOnce(ctx, w)
}
