package stream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// shards are the stream of a table: what has changed and has not been handled, in
// order of the changes of one key, each shard by itself.
type shards struct {
	mu      sync.Mutex
	waiting map[string][]string
	changes int
	over    bool
}

const productShard = "product::mockPark1::backcountryCamp::11"

func (s *shards) add(c simulator.Change) {
	if c.Table != platformTable {
		return
	}
	item := c.New
	if item == nil {
		item = c.Old
	}
	pk, sk := item["pk"].(*types.AttributeValueMemberS).Value, item["sk"].(*types.AttributeValueMemberS).Value
	shard := pk + sk
	if strings.HasPrefix(pk, "inventoryPool::") {
		shard = productShard
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	s.waiting[shard] = append(s.waiting[shard], record(fmt.Sprint(s.changes), pk, sk))
}

// next is up to three records of a shard; ok is false once there will be no more.
func (s *shards) next(shard string) (records []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.waiting[shard]
	return w[:min(3, len(w))], len(w) > 0 || !s.over
}

// handled drops the records before the first that is to be delivered again.
func (s *shards) handled(shard string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[shard] = s.waiting[shard][n:]
}

func (s *shards) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// changing is a platform that changes a product, two dates and their pools.
func changing(c *simulator.Client, random *rand.Rand) {
	store := dynamo.NewStore(c, platformTable)
	send := func(w protocol.Write) {
		for c.Context().Err() == nil {
			if _, err := store.Write(c.Context(), w); err == nil {
				return
			}
		}
	}
	write := func(key signal.Key, item signal.Item) {
		item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
		send(protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item})
	}
	patterns := []signal.Value{exact(minutes(5)), exact(minutes(60)), tiered(minutes(5)), signal.Null()}
	for i := range 12 {
		item := signal.Item{
			"availabilityEstimationPattern": patterns[random.IntN(len(patterns))],
			"isDeleted":                     signal.Bool(random.IntN(4) == 0),
			"n":                             signal.N(int64(i)), // so that each is a change
		}
		day := 5 + random.IntN(2)
		switch random.IntN(7) {
		case 0, 1:
			item["timezone"] = signal.S([]string{"America/Vancouver", "America/Toronto"}[random.IntN(2)])
			write(camp.ItemKey(), item)
		case 2, 3, 4:
			write(dateKey(campOn(day)), item)
		case 5:
			send(protocol.Write{Op: "remove", Kind: protocol.Delete, Key: dateKey(campOn(day))})
		default:
			write(pool(day, "a"), signal.Item{"availability": signal.N(int64(i))})
		}
		if random.IntN(2) == 0 {
			time.Sleep(time.Duration(random.IntN(120)) * time.Millisecond)
		}
	}
}

// frozen is a platform that a handler reads once: it never looks again.
type frozen struct {
	stream.Platform
	mu    sync.Mutex
	items map[signal.Key]signal.Item
	lists map[string][]signal.Item
}

func (f *frozen) Get(ctx context.Context, key signal.Key, attrs ...string) (signal.Item, error) {
	f.mu.Lock()
	is, ok := f.items[key]
	f.mu.Unlock()
	if ok {
		return is, nil
	}
	is, err := f.Platform.Get(ctx, key, attrs...)
	if err == nil {
		f.mu.Lock()
		f.items[key] = is
		f.mu.Unlock()
	}
	return is, err
}

func (f *frozen) Query(ctx context.Context, q dynamo.Query) iter.Seq2[signal.Item, error] {
	return func(yield func(signal.Item, error) bool) {
		f.mu.Lock()
		list, ok := f.lists[q.Partition]
		f.mu.Unlock()
		if !ok {
			for item, err := range f.Platform.Query(ctx, q) {
				if err != nil {
					yield(nil, err)
					return
				}
				list = append(list, item)
			}
			f.mu.Lock()
			f.lists[q.Partition] = list
			f.mu.Unlock()
		}
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// handle delivers a shard's records until there are no more, to functions that
// may crash at any call.
func handle(w *simulator.World, s *shards, shard string, freeze bool) {
	for handleUntilCrash(w, s, shard, freeze) {
	}
}

func handleUntilCrash(w *simulator.World, s *shards, shard string, freeze bool) (crashed bool) {
	c := w.Client("function")
	for {
		records, ok := s.next(shard)
		if !ok {
			return false
		}
		if len(records) == 0 {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		parsed, err := stream.ParseEvent(batch(records...))
		if err != nil {
			w.Error(err)
			return false
		}
		keeper := newKeeper(c)
		keeper.Defaults = stream.Defaults{Pattern: &signal.Pattern{Mode: signal.Exact}, Bucket: "1h"}
		if freeze {
			keeper.Platform = &frozen{Platform: keeper.Platform, items: map[signal.Key]signal.Item{}, lists: map[string][]signal.Item{}}
		}
		ctx, end := c.WithTimeout(time.Minute)
		r, err := (&stream.Consumer{Keeper: keeper, Log: discard()}).Consume(ctx, parsed)
		end()
		if c.Crashed() || err != nil {
			return true
		}
		done := len(parsed)
		for _, again := range r.Failures {
			done = min(done, slices.IndexFunc(parsed, func(p stream.Record) bool { return p.Sequence == again }))
		}
		s.handled(shard, done)
	}
}

// checks are the runtime's runs over two signals, until all is quiet and they have
// nothing left to do.
func checks(c *simulator.Client, quiet <-chan struct{}) {
	store, platform := dynamo.NewStore(c, signalsTable), dynamo.NewStore(c, platformTable)
	for last := false; !last; {
		select {
		case <-quiet:
			last = true
		default:
		}
		for day := 5; day <= 6; day++ {
			item, err := store.Get(c.Context(), campOn(day).Key())
			if err != nil || item == nil {
				last = last && err == nil
				continue
			}
			name, _, _ := signal.ParseShardKey(item.Text("gsipk"))
			bucket := signal.Bucket{Name: name, Shards: 1, Checks: signal.Checks{Lease: time.Millisecond}}
			last = check(c, store, platform, day, bucket) && last
		}
		time.Sleep(70 * time.Millisecond)
	}
}

// check checks a signal; ok is false if it has to be tried again.
func check(c *simulator.Client, store, platform *dynamo.Store, day int, bucket signal.Bucket) (ok bool) {
	p := protocol.NewCheck(campOn(day).Key(), bucket, c.NewID(), c.Now())
	for p.Action() != protocol.Done {
		switch p.Action() {
		case protocol.Compute:
			asOf := c.Now()
			item, err := platform.Get(c.Context(), pool(day, "a"))
			if err != nil {
				return false
			}
			p = p.Computed(protocol.Outcome{Value: fmt.Sprint(item.Int("availability")), AsOf: asOf})
		case protocol.SendOnce, protocol.Send:
			send := store.Write
			if p.Action() == protocol.SendOnce {
				send = store.WriteOnce
			}
			item, err := send(c.Context(), p.Write())
			refused, is := errors.AsType[*dynamo.RefusedError](err)
			switch {
			case err == nil:
				p = p.Applied(item)
			case is:
				p = p.Refused(refused.Old)
			default:
				return false
			}
		case protocol.ReadBack:
			return false
		}
	}
	return p.Result() == protocol.Cleaned || p.Result() == protocol.NotClaimed
}

// converge says what is wrong once all is quiet: with signals that are not what
// the platform's items say, or that are clean with an old value.
func converge(t *testing.T, seed uint64, freeze bool) (wrong string) {
	t.Helper()
	s := &shards{waiting: map[string][]string{}}
	faults := simulator.Rates{
		Throttling: 0.01, ServerError: 0.01, Conflicting: 0.02, LoseAnswer: 0.02, HoldAnswer: 0.4, CrashBefore: 0.01, CrashAfter: 0.02,
	}.Faults()
	config := simulator.Config{Seed: seed, OnChange: s.add, Faults: func(r *rand.Rand, c *simulator.Call) simulator.Fault {
		f := faults(r, c)
		if c.Client != "function" {
			return simulator.Fault{HoldAnswer: f.HoldAnswer}
		}
		return f
	}}
	simulator.Run(t, simulator.WorldConfig{Config: config, Start: now, MostCalls: 100_000}, func(w *simulator.World) {
		w.DB().CreateTable(simulator.SignalTable(signalsTable, types.ProjectionTypeInclude))
		w.DB().CreateTable(simulator.SignalTable(platformTable, types.ProjectionTypeAll))
		setup := w.Client("setup")
		before := &world{t: w, signals: dynamo.NewStore(setup, signalsTable), client: setup}
		before.register("5min", signal.Cadence{Minutes: 5})
		before.register("1h", signal.Cadence{Hours: 1})
		before.seededBy("", 6, nil)

		var handlers, platform, runs sync.WaitGroup
		quiet := make(chan struct{})
		for _, shard := range []string{productShard, dateKey(campOn(5)).PK + "2026-07-05", dateKey(campOn(6)).PK + "2026-07-06"} {
			handlers.Go(func() { handle(w, s, shard, freeze) })
		}
		platform.Go(func() { changing(w.Client("platform"), rand.New(rand.NewPCG(seed, 1))) })
		runs.Go(func() { checks(w.Client("checks"), quiet) })
		platform.Wait()
		s.end()
		handlers.Wait()
		close(quiet)
		runs.Wait()
		for day := 5; day <= 6; day++ {
			if why := judge(setup, day); why != "" {
				wrong = fmt.Sprintf("seed %d, July %d: %s", seed, day, why)
			}
		}
		// Crashed functions' flips give up.
		time.Sleep(time.Minute)
	})
	return wrong
}

// judge says what is wrong with a day's signal at the end.
func judge(c *simulator.Client, day int) string {
	read := func(table string, key signal.Key) signal.Item {
		item, err := dynamo.NewStore(c, table).Get(c.Context(), key)
		if err != nil {
			panic(err)
		}
		return item
	}
	deleted := func(i signal.Item) bool {
		yes, _ := i["isDeleted"].Bool()
		return i == nil || yes
	}
	is, product, date := read(signalsTable, campOn(day).Key()), read(platformTable, camp.ItemKey()), read(platformTable, dateKey(campOn(day)))
	if deleted(product) || deleted(date) {
		if is.Text("seededBy") == "stream" {
			return fmt.Sprintf("there is a signal, of product %v and date %v", product, date)
		}
		return ""
	}
	pattern := date["availabilityEstimationPattern"]
	if pattern.IsNull() {
		pattern = product["availabilityEstimationPattern"]
	}
	mode, bucket := "exact", "cadenceBucket::1h"
	if fields, ok := pattern.Fields(); ok {
		mode, _ = fields["estimationMode"].Text()
		if cadence, _ := fields["cadence"].Fields(); cadence["minutes"].Equal(signal.N(5)) {
			bucket = "cadenceBucket::5min"
		}
	}
	expiry := fmt.Sprintf("2026-07-%02dT07:00:00.000Z", day+1)
	if product.Text("timezone") == "America/Toronto" {
		expiry = fmt.Sprintf("2026-07-%02dT04:00:00.000Z", day+1)
	}
	fields, _ := is["availabilityEstimationPattern"].Fields()
	if got, _ := fields["estimationMode"].Text(); got != mode || is.Text("gsipk") != bucket || is.Text("expiry") != expiry || is.Text("seededBy") != "stream" {
		return fmt.Sprintf("it is %v, want %s in %s until %s", is, mode, bucket, expiry)
	}
	if left := read(platformTable, pool(day, "a")).Int("availability"); is.Text("gsisk") != "clean" || is.Text("value") != fmt.Sprint(left) {
		return fmt.Sprintf("it is %s with the value %q, and %d are left", is.Text("gsisk"), is.Text("value"), left)
	}
	return ""
}

// Handlers of different keys overlap, crash, lose answers and are delivered to
// twice, while the platform changes; in the end the signals are what it says.
func TestConsume_everyOrder(t *testing.T) {
	t.Parallel()
	seeds := uint64(600)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		if wrong := converge(t, seed, false); wrong != "" {
			t.Fatal(wrong)
		}
	}
}

// A handler that does not look again after it has written leaves signals wrong:
// the test above would notice.
func TestConsume_lookingOnceIsNoticed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		if wrong := converge(t, seed, true); wrong != "" {
			t.Log(wrong)
			return
		}
	}
	t.Error("no seed shows it")
}
