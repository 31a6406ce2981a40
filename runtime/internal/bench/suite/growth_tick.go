package suite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/plot"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// tickCost is what a tick takes.
type tickCost struct {
	seconds float64
	// mib is the live heap of a run that has listed what is dirty.
	mib         float64
	read, write float64
}

// growthOfTick is what a tick takes by the signals of its bucket.
func (s *Suite) growthOfTick(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "Growth of a tick with the signals",
		How: fmt.Sprintf("Ticks of a bucket of 16 shards on the simulator, %d checks at once, with a source that costs nothing and no write budget: seconds of this machine's time (the simulator's own share included), the live heap that a run holds once it has listed what is dirty, and units of the table and the index. Ticks of up to 10,000 checks are medians of %d, longer ones are measured once.",
			checksAtOnce, s.Rounds),
	}
	sizes := []int{1000, 10_000, 100_000, 1_000_000}
	if s.Small {
		sizes = []int{100, 200}
	}
	shares := []int{0, 100, 10, 1}
	names := []string{"none dirty", "1 % dirty", "10 % dirty", "all dirty"}
	charts := []plot.Chart{
		{Title: "A tick's time by the signals of its bucket", Y: plot.Axis{Label: "seconds", Log: true}},
		{Title: "A tick's read units by the signals of its bucket", Y: plot.Axis{Label: "read units", Log: true}},
		{Title: "A run's live heap by the signals of its bucket", Y: plot.Axis{Label: "MiB", Log: true}},
	}
	rows := make([][][]string, len(charts))
	for i := range charts {
		charts[i].X = plot.Axis{Label: "signals in the bucket", Log: true}
		for _, name := range names {
			charts[i].Lines = append(charts[i].Lines, plot.Line{Name: name})
		}
	}
	for _, size := range sizes {
		season, err := s.sizedSeason(ctx, size)
		if err != nil {
			return r, err
		}
		cells := make([][]string, len(charts))
		for share, every := range shares {
			began := time.Now()
			cost, err := s.cost(ctx, season, every)
			if err != nil {
				return r, err
			}
			s.say("  %s signals, %s: %s", record.Number(float64(size)), names[share], time.Since(began).Round(100*time.Millisecond))
			for i, v := range []float64{cost.seconds, cost.read, cost.mib} {
				charts[i].Lines[share].Points = append(charts[i].Lines[share].Points, plot.Point{X: float64(size), Y: v})
				cells[i] = append(cells[i], record.Quantity(v, [...]string{"s", "", "MiB"}[i]))
			}
		}
		for i := range charts {
			rows[i] = append(rows[i], append([]string{record.Number(float64(size))}, cells[i]...))
		}
	}
	for i, c := range charts {
		f, err := s.draw([]string{"tick-time", "tick-reads", "tick-heap"}[i], c)
		if err != nil {
			return r, err
		}
		r.Plots = append(r.Plots, f)
		r.Notes = append(r.Notes, table([]string{"time: signals", "read units: signals", "live heap: signals"}[i], names, rows[i]))
	}
	r.Notes = append(r.Notes, growthOf(charts))
	return r, nil
}

// growthOf says in words how the curves of time, read units and heap run.
func growthOf(charts []plot.Chart) string {
	const idle, all = 0, 3
	curve := func(chart, line int) []plot.Point { return charts[chart].Lines[line].Points }
	tenfold := func(points []plot.Point) []plot.Point { return points[len(points)-2:] }
	heap := curve(2, all)
	last := heap[len(heap)-1]
	return fmt.Sprintf("With the signals, none of them dirty, a tick's time is %s and its read units are %s. "+
		"With all dirty, its time is %s over all sizes and %s over the last tenfold, its read units are %s over the last tenfold, and the live heap is %s: %s bytes for each dirty signal of %s. "+
		"The simulated table is part of the process: its larger indexes, and the collecting of garbage among all that it holds, are in these times.",
		course(curve(0, idle)), course(curve(1, idle)), course(curve(0, all)), course(tenfold(curve(0, all))), course(tenfold(curve(1, all))), course(tenfold(heap)),
		record.Number(math.Round(last.Y*(1<<20)/last.X)), record.Number(last.X))
}

func (s *Suite) sizedSeason(ctx context.Context, size int) (*season, error) {
	if size >= s.sized(1_000_000, smallMillion) {
		return s.million(ctx)
	}
	return simulated(ctx, size, func(b *signal.Bucket) { b.Shards, b.Checks.Concurrency = signal.MaxShards, checksAtOnce })
}

// cost measures ticks with every n-th signal dirty, or none for 0.
func (s *Suite) cost(ctx context.Context, season *season, every int) (c tickCost, err error) {
	dirty, rounds := 0, s.Rounds
	if every > 0 {
		dirty = season.size / every
	}
	if dirty > 10_000 {
		rounds = 1
	}
	var seconds []float64
	for round := range rounds {
		if every > 0 {
			if err := season.soil(ctx, every); err != nil {
				return c, err
			}
		}
		api := season.db.Client(runnerName)
		if round == 0 {
			if c.mib, err = season.liveHeap(ctx, api); err != nil {
				return c, err
			}
			// That has collected the garbage of the seeding. What is left by making signals
			// dirty again may be collected within a later round.
		}
		season.db.ResetUsage()
		began := time.Now()
		if err := season.tick(ctx, season.runner(api, sourceFunc(plenty)), dirty); err != nil {
			return c, err
		}
		seconds = append(seconds, time.Since(began).Seconds())
		units := season.db.Units(simulator.Scope{Client: runnerName, Index: simulator.Everything})
		c.read, c.write = units.Read, units.Write
	}
	c.seconds = record.Median(seconds)
	return c, nil
}

// liveHeap is what a run holds when it is about to send its first claim, in MiB;
// there the run is ended.
func (s *season) liveHeap(ctx context.Context, api dynamo.StoreAPI) (float64, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	before := live()
	store := &stopping{Store: dynamo.NewStore(api, s.table), end: end}
	runner := s.runner(api, sourceFunc(plenty))
	runner.Store = store
	_, err := runner.Run(ctx, bucketName)
	if err != nil && !errors.Is(err, dynamo.ErrThrottled) {
		return 0, err
	}
	// A run without claims holds nothing worth a mention.
	return max(0, store.live-before), nil
}

// stopping measures at the first claim, and lets none through.
type stopping struct {
	*dynamo.Store
	once sync.Once
	live float64
	end  context.CancelFunc
}

// WriteOnce is how claims are sent.
func (s *stopping) WriteOnce(context.Context, protocol.Write) (signal.Item, error) {
	s.once.Do(func() {
		s.live = live()
		s.end()
	})
	return nil, dynamo.ErrThrottled
}

func live() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}
