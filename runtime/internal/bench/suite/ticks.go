package suite

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ticks is P4: what a tick reads.
func (s *Suite) ticks(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "Units of a tick",
		How:   "Ticks of a bucket of 16 shards on the simulator, whose signals have all been checked before: one that finds nothing, and ones that find dirty signals, beside the units that the bytes of their index entries cost in theory (half a unit for every 4 KiB), and beside a scan of the table.",
	}
	season, err := s.million(ctx)
	if err != nil {
		return r, err
	}
	idle, err := season.read(ctx, 0)
	if err != nil {
		return r, err
	}
	r.Lines = []record.Line{
		{What: "an idle tick: read units of the queries", Value: idle.queries.Read, Goal: record.AtMost(0.5 * signal.MaxShards), Detail: "0.5 for each of 16 shard keys"},
		{What: "an idle tick: read units of the registry", Value: idle.table.Read, Goal: record.AtMost(1)},
		{What: "an idle tick: write units", Value: idle.table.Write, Goal: record.AtMost(2), Detail: "the run item, twice"},
	}
	for _, every := range []int{100, 10} {
		tick, err := season.read(ctx, every)
		if err != nil {
			return r, err
		}
		theory := float64(tick.bytes) / 4096 / 2
		r.Lines = append(r.Lines, record.Line{
			What: record.Number(float64(season.size/every)) + " dirty: read units of the queries by their bytes' cost", Value: tick.queries.Read / theory, Unit: "x", Goal: record.AtMost(1.05),
			Detail: fmt.Sprintf("%s units for %s bytes", record.Number(tick.queries.Read), record.Number(float64(tick.bytes))),
		})
		if every != 100 {
			continue
		}
		scan, err := season.scan(ctx)
		if err != nil {
			return r, err
		}
		reads := tick.queries.Read + tick.table.Read
		r.Lines = append(r.Lines, record.Line{
			What: record.Number(float64(season.size)) + " signals, 1 % dirty: a scan by the tick's reads", Value: scan / reads, Unit: "x", Goal: record.AtLeast(float64(s.sized(250, 0))),
			Detail: fmt.Sprintf("%s units against %s", record.Number(scan), record.Number(reads)),
		})
	}
	return r, nil
}

// smallMillion is so large that a run of a tenth of it takes longer than a look at it.
const smallMillion = 10_000

// million is the largest season, which several rows share.
func (s *Suite) million(ctx context.Context) (*season, error) {
	if s.large != nil {
		return s.large, nil
	}
	size := s.sized(1_000_000, smallMillion)
	s.say("  seeding %s signals in the simulator", record.Number(float64(size)))
	var err error
	s.large, err = simulated(ctx, size, func(b *signal.Bucket) { b.Shards, b.Checks.Concurrency = signal.MaxShards, checksAtOnce })
	return s.large, err
}

// tickUnits is what a tick costs, but for its checks.
type tickUnits struct {
	queries, table simulator.Units
	// bytes are those of the index entries that it read.
	bytes int
}

// read runs the bucket with every n-th signal dirty, or none for 0.
func (s *season) read(ctx context.Context, every int) (u tickUnits, err error) {
	dirty := 0
	if every > 0 {
		if err := s.soil(ctx, every); err != nil {
			return u, err
		}
		dirty = s.size / every
		for i := range dirty {
			u.bytes += s.entryBytes(i * every)
		}
	}
	s.db.ResetUsage()
	api := s.db.Client(runnerName)
	runner := s.runner(api, sourceFunc(plenty))
	runner.Store = splitStore{dynamo.NewStore(api, s.table), dynamo.NewStore(s.db.Client("checks"), s.table)}
	if err := s.tick(ctx, runner, dirty); err != nil {
		return u, err
	}
	u.queries = s.db.Units(simulator.Scope{Client: runnerName, Table: tableName, Index: simulator.CadenceIndex})
	u.table = s.db.Units(simulator.Scope{Client: runnerName, Table: tableName})
	return u, nil
}

// entryBytes is the size of a dirty signal's entry in the cadence index, by
// DynamoDB's rules: the names and the texts as they are, and a number half a byte
// for each digit, and one.
func (s *season) entryBytes(i int) int {
	k := s.day(i).Key()
	bytes := len(signal.AttrPK) + len(k.PK) + len(signal.AttrSK) + len(k.SK)
	bytes += len(signal.AttrGSIPK) + len(s.bucket.GSIPK(k)) + len(signal.AttrGSISK) + len(signal.Dirty)
	bytes += len(signal.AttrDirtySince) + len(signal.FormatInstant(time.Now()))
	bytes += len(signal.AttrTTL) + numberBytes(signal.Expiry(s.day(i).Date, time.UTC).Unix())
	return bytes
}

// numberBytes is the size of a whole number; zeros at its end count for nothing.
func numberBytes(n int64) int {
	digits := strings.TrimRight(strconv.FormatInt(n, 10), "0")
	return (len(digits)+1)/2 + 1
}

// scan is what it costs to read the whole table, eventually consistent.
func (s *season) scan(ctx context.Context) (float64, error) {
	in := &dynamodb.ScanInput{TableName: &s.table}
	client := s.db.Client("scanner")
	for {
		out, err := client.Scan(ctx, in)
		if err != nil {
			return 0, err
		}
		if len(out.LastEvaluatedKey) == 0 {
			return s.db.Units(simulator.Scope{Client: "scanner", Table: tableName}).Read, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
