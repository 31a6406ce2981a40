package goals_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A tick with nothing to do costs half a read unit for each shard key, one read of
// the registry, and two writes of the run item.
func TestP4_idleTick(t *testing.T) {
	p := newPlatform(t, simulator.Config{})
	p.register()
	p.seed(0, 100, false)
	function := p.db.Client("function")
	p.run(function)
	p.later(cadence)
	p.db.ResetUsage()
	p.run(function)
	if got, want := p.spent("function"), (simulator.Units{Read: 16*0.5 + 1, Write: 2}); got != want {
		t.Errorf("an idle tick costs %+v, want %+v", got, want)
	}
	if p.asked != 0 {
		t.Errorf("the source was asked %d times", p.asked)
	}
}

// However long a bucket's name and however large the numbers of its last run, its run
// item stays below the kilobyte that a write unit pays for.
func TestP4_idleTickAtItsLargest(t *testing.T) {
	p := newPlatform(t, simulator.Config{})
	p.bucket.Name = strings.Repeat("a", 40)
	p.register()
	function, store := p.db.Client("function"), dynamo.NewStore(p.db.Client("setup"), table)
	run := func() {
		t.Helper()
		if _, err := p.runner(function).Run(t.Context(), p.bucket.Name); err != nil {
			t.Fatal(err)
		}
	}
	run()
	item, err := store.Get(t.Context(), signal.RunKey(p.bucket.Name))
	if err != nil {
		t.Fatal(err)
	}
	report, _ := item[protocol.AttrReport].Fields()
	largest := map[string]signal.Value{}
	for name := range report {
		largest[name] = signal.N(math.MaxInt64)
	}
	if len(largest) == 0 {
		t.Fatalf("the run item has no report: %v", item)
	}
	item[protocol.AttrReport] = signal.M(largest)
	p.put(p.db.Client("setup"), item)
	p.later(cadence)
	p.db.ResetUsage()
	run()
	if got := p.spent("function").Write; got != 2 {
		t.Errorf("the run item costs %v write units, want 2", got)
	}
}

// What is dirty costs its bytes, and what is clean nothing.
func TestP4_dirtyTick(t *testing.T) {
	dirty, clean := atScale(2000, 200), atScale(198_000, 19_800)
	p := newPlatform(t, simulator.Config{})
	p.register()
	p.seed(0, dirty, true)
	p.seed(dirty, dirty+clean, false)
	function, scan := p.db.Client("function"), p.db.Client("scan")
	p.db.ResetUsage()
	report := p.run(function)
	if report.Cleaned != int64(dirty) || p.asked != dirty {
		t.Errorf("%d cleaned, the source asked %d times", report.Cleaned, p.asked)
	}
	queried := p.db.Units(simulator.Scope{Client: "function", Index: simulator.CadenceIndex}).Read
	bytes := 0
	for n := range dirty {
		bytes += p.entryBytes(n)
	}
	least := 15*0.5 + math.Ceil(float64(bytes)/4096)/2
	t.Logf("%d dirty of %d: %v read units for the queries, %v at the least", dirty, dirty+clean, queried, least)
	if queried > 1.05*least {
		t.Errorf("the queries cost %v read units, more than 1.05 times %v", queried, least)
	}
	in := &dynamodb.ScanInput{TableName: aws.String(table)}
	for {
		out, err := scan.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			break
		}
	}
	read := p.db.Units(simulator.Scope{Client: "function"}).Read + queried
	ratio := p.spent("scan").Read / read
	t.Logf("a scan costs %v read units, %.0f times the tick's %v", p.spent("scan").Read, ratio, read)
	// With a million it is more: what a tick costs in any case counts for less.
	if want := atScale(250.0, 100); ratio < want {
		t.Errorf("a scan costs only %.0f times as much, want %.0f", ratio, want)
	}
}

// entryBytes is how large the entry of a dirty signal is that has not been checked:
// its keys, dirtySince and ttl, each with its name.
func (p *platform) entryBytes(n int) (bytes int) {
	key := day(n).Key()
	texts := map[string]string{
		signal.AttrPK: key.PK, signal.AttrSK: key.SK, signal.AttrGSIPK: p.bucket.GSIPK(key), signal.AttrGSISK: signal.Dirty,
		signal.AttrDirtySince: "2026-07-01T00:00:00.000Z",
	}
	for name, text := range texts {
		bytes += len(name) + len(text)
	}
	// A number takes a byte for two digits, and one more.
	return bytes + len(signal.AttrTTL) + len("2082758400")/2 + 1
}

// Clean signals cost no allocation.
func TestP4_cleanSignalsCostNothing(t *testing.T) {
	allocations := func(clean int) uint64 {
		p := newPlatform(t, simulator.Config{})
		p.register()
		p.seed(0, clean, false)
		function := p.db.Client("function")
		p.run(function)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 10 {
			p.later(cadence)
			p.run(function)
		}
		runtime.ReadMemStats(&after)
		return (after.Mallocs - before.Mallocs) / 10
	}
	most := atScale(10_000, 2000)
	few, many := allocations(10), allocations(most)
	t.Logf("%d allocations in a tick beside 10 clean signals, %d beside %d", few, many, most)
	if many > few+few/10 {
		t.Errorf("%d allocations beside 10 clean signals, %d beside %d", few, many, most)
	}
}
